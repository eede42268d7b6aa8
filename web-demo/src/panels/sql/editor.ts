/** The query's editor: CodeMirror with SQL's colours, the table's columns, and a mark at what is wrong. */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { SqlMistake, SqlStart } from '../../worker/protocol-sql.ts';

export interface SqlEditor {
  setText(text: string): void;
  setMistake(mistake: SqlMistake | undefined): void;
  destroy(): void;
}

export interface SqlEditorOptions {
  text: string;
  ready: SqlStart;
  onText: (text: string) => void;
  onRun: () => void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.string, tags.number, tags.bool, tags.null], color: 'var(--value)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
]);

export function createSqlEditor(parent: HTMLElement, options: SqlEditorOptions): SqlEditor {
  const { text, ready, onText, onRun } = options;
  const columns = ready.columns.map(({ name, type }) => ({ label: name, detail: type, type: 'property' }));
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => {
                onRun();
                return true;
              },
            },
          ]),
        ),
        sql({
          dialect: PostgreSQL,
          schema: Object.fromEntries(ready.tables.map((name) => [name, columns])),
          defaultTable: 't',
          upperCaseKeywords: true,
        }),
        syntaxHighlighting(colours),
        autocompletion({ icons: false }),
        history(),
        keymap.of([...completionKeymap, ...historyKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          'aria-label': 'SQL',
          'aria-describedby': 'sql-problem',
          spellcheck: 'false',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) onText(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      const now = view.state.doc.toString();
      if (next !== now) view.dispatch({ changes: { from: 0, to: now.length, insert: next } });
    },
    setMistake(mistake) {
      const found = mistake?.at === undefined ? [] : [markAt(view, mistake.at, mistake.message)];
      view.dispatch(setDiagnostics(view.state, found));
    },
    destroy: () => view.destroy(),
  };
}

/** The word at a place, or the character. */
function markAt({ state }: EditorView, at: number, message: string) {
  const from = Math.min(at, Math.max(0, state.doc.length - 1));
  const word = state.wordAt(from);
  const to = Math.min(state.doc.length, word === null ? from + 1 : word.to);
  return { from, to, severity: 'error' as const, message };
}
