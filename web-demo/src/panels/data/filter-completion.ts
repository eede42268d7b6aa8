/** What can come next in a filter. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { FilterTerm } from '../../worker/protocol-data.ts';

/** Words of the grammar. */
export const KEYWORDS: ReadonlySet<string> = new Set(
  'AND OR NOT IN BETWEEN LIKE IS NULL TRUE FALSE CAST AS DISTINCT FROM DATE TIMESTAMP TIMESTAMP_NTZ'.split(
    ' ',
  ),
);

const COMPARISONS = ['=', '!=', '<', '<=', '>', '>=', '<=>'];
/** A name with its parts, quoted or not, or a literal, being typed. */
const WORD = /(?:[\p{L}_`][\p{L}\p{N}_.`]*|'[^']*|\d[\d.]*)$/u;
/** A text that is closed: what follows is not in it. */
const TEXT = /'(?:[^']|'')*'/g;
/** What wants a value after it. */
const WANTS_VALUE =
  /(?:<=>|<=|>=|<>|!=|==|[=<>]|\bBETWEEN|\bLIKE|\bIN\s*\((?:[^()]*,)?|\bBETWEEN\s+\S+\s+AND)\s*$/i;
/** The name nearest before such a place. */
const NAME_BEFORE =
  /(`(?:[^`]|``)+`(?:\.(?:`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*))*|[\p{L}_][\p{L}\p{N}_]*(?:\.(?:`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*))*)\s*(?:NOT\s+)?(?:<=>|<=|>=|<>|!=|==|[=<>]|BETWEEN|LIKE|IN\s*\([^()]*)[^<>=]*$/iu;
const LAST_NAME =
  /((?:`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*)(?:\.(?:`(?:[^`]|``)+`|[\p{L}_][\p{L}\p{N}_]*))*)\s+$/u;

/** Columns where a condition begins, operators after a column, literals after an operator. */
export function completeFilter(terms: readonly FilterTerm[]) {
  const byName = new Map(terms.map((term) => [term.text.toLowerCase(), term]));
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const word = WORD.exec(before.replaceAll(TEXT, (text) => ' '.repeat(text.length)))?.[0] ?? '';
    const lead = before.slice(0, before.length - word.length);
    if (word === '' && !context.explicit && !/\s$/.test(before) && before !== '') return null;
    const options = optionsAfter(lead, terms, byName);
    return options.length === 0 ? null : { from: context.pos - word.length, options, validFor: WORD };
  };
}

function optionsAfter(
  lead: string,
  terms: readonly FilterTerm[],
  byName: ReadonlyMap<string, FilterTerm>,
): Completion[] {
  if (WANTS_VALUE.test(lead)) {
    const term = byName.get(NAME_BEFORE.exec(lead)?.[1]?.toLowerCase() ?? '');
    return [...(term?.samples ?? []).map(literal), ...columns(terms)];
  }
  const named = byName.get(LAST_NAME.exec(lead)?.[1]?.toLowerCase() ?? '');
  if (named !== undefined) return operators(named);
  if (/(?:['`)\d]|\b(?:NULL|TRUE|FALSE))\s+$/i.test(lead)) return ['AND', 'OR'].map(word);
  return [...columns(terms), ...['NOT', 'CAST('].map(word)];
}

function columns(terms: readonly FilterTerm[]): Completion[] {
  return terms.map(({ text, type }) => ({ label: text, detail: type, type: 'property' }));
}

function operators({ isText, type }: FilterTerm): Completion[] {
  const isNested = /^(?:struct|array|map|variant)/.test(type);
  const tests = ['IS NULL', 'IS NOT NULL'];
  if (isNested) return tests.map(word);
  const more = ['IN (', 'NOT IN (', 'BETWEEN', ...(isText ? ["LIKE '"] : []), ...tests];
  return [...COMPARISONS, ...more].map(word);
}

function literal(label: string): Completion {
  return { label, type: 'constant', boost: 1 };
}

function word(label: string): Completion {
  return { label, type: 'keyword' };
}
