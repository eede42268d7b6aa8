/** Column paths as text: names joined by dots, in backticks where a name holds a dot itself. */
import { DeltaError } from '../../errors.ts';

const PLAIN_NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;

/** `a.b`, `` `a.b`.c ``: reads back with {@link parseColumnPath}. */
export function columnPathToString(path: readonly string[]): string {
  return path.map((name) => (PLAIN_NAME.test(name) ? name : `\`${name.replaceAll('`', '``')}\``)).join('.');
}

/**
 * The field names of a column's text, one per level. A backtick inside backticks is doubled.
 * @throws DeltaError `InvalidExpression` where a name is empty or a backtick stays open.
 */
export function parseColumnPath(text: string): string[] {
  const path: string[] = [];
  let rest = text;
  for (;;) {
    const match = /^(?:`((?:[^`]|``)+)`|([^`.]+))(\.|$)/.exec(rest);
    if (!match) {
      throw new DeltaError(
        'InvalidExpression',
        `${JSON.stringify(text)} is not a column: expected names, joined by dots`,
        {
          column: text,
        },
      );
    }
    path.push(match[1]?.replaceAll('``', '`') ?? match[2]!);
    rest = rest.slice(match[0].length);
    if (match[3] === '') return path;
  }
}
