/** The filter's editor: one line of CodeMirror with completion and a mark at what is wrong. */
import { autocompletion, completionKeymap, startCompletion } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorSelection, EditorState } from '@codemirror/state';
import {
  type Command,
  Decoration,
  type DecorationSet,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder as placeholderOf,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { FilterProblem, FilterTerm } from '../../worker/protocol-data.ts';
import { completeFilter, KEYWORDS } from './filter-completion.ts';

export interface FilterEditor {
  readonly text: string;
  setText(text: string): void;
  setProblem(problem: FilterProblem | undefined): void;
  focus(): void;
  destroy(): void;
}

export interface FilterEditorOptions {
  text: string;
  selection: readonly [start: number, end: number];
  labelledBy: string;
  placeholder: string;
  terms: readonly FilterTerm[];
  onChange: (text: string) => void;
  onEnter: (text: string) => void;
}

export function createFilterEditor(parent: HTMLElement, options: FilterEditorOptions): FilterEditor {
  const { text, selection, labelledBy, placeholder, terms, onChange, onEnter } = options;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: oneLine(text),
      selection: EditorSelection.single(...selection),
      extensions: [
        autocompletion({ override: [completeFilter(terms)], icons: false }),
        keymap.of([
          ...completionKeymap,
          { key: 'Enter', run: entered(onEnter) },
          { key: 'Alt-ArrowDown', run: startCompletion },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        history(),
        EditorState.transactionFilter.of((change) =>
          change.newDoc.lines > 1 ? flattened(change.startState, change.newDoc.toString()) : change,
        ),
        colours,
        placeholderOf(placeholder),
        EditorView.contentAttributes.of({
          'aria-labelledby': labelledBy,
          'aria-describedby': 'where-problem',
          'aria-multiline': 'false',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    get text() {
      return view.state.doc.toString();
    },
    setText(next) {
      if (next === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: oneLine(next) } });
    },
    setProblem(problem) {
      view.dispatch(
        setDiagnostics(view.state, problem === undefined ? [] : [diagnostic(problem, view.state.doc.length)]),
      );
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Enter applies what is there. */
function entered(onEnter: (text: string) => void): Command {
  return ({ state }) => {
    onEnter(state.doc.toString());
    return true;
  };
}

/** A place without width, such as the end, is marked on the character before it. */
function diagnostic({ message, from = 0, to = from }: FilterProblem, length: number) {
  const end = Math.min(Math.max(to, from + 1), length);
  return { from: Math.min(from, Math.max(end - 1, 0)), to: end, severity: 'error' as const, message };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

/** What was pasted over several lines, on one. */
function flattened(state: EditorState, text: string) {
  const insert = oneLine(text);
  return {
    changes: { from: 0, to: state.doc.length, insert },
    selection: EditorSelection.cursor(insert.length),
  };
}

/** Words of the grammar, text and numbers, coloured by the style sheet. */
const decorator = new MatchDecorator({
  regexp: /'(?:[^']|'')*'?|`(?:[^`]|``)*`?|[\p{L}_][\p{L}\p{N}_]*|\d[\d.]*/gu,
  decoration: ([token]) => {
    if (token.startsWith("'") || /^\d/.test(token)) return Decoration.mark({ class: 'literal' });
    return KEYWORDS.has(token.toUpperCase()) ? Decoration.mark({ class: 'word' }) : null;
  },
});

const colours = ViewPlugin.define<{ decorations: DecorationSet; update: (update: ViewUpdate) => void }>(
  (view) => ({
    decorations: decorator.createDeco(view),
    update(update) {
      this.decorations = decorator.updateDeco(update, this.decorations);
    },
  }),
  { decorations: ({ decorations }) => decorations },
);
