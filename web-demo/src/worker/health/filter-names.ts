/** The columns that a filter names. */
import { columnPathToString, parsePredicate, referencedColumns } from 'delta-kernel-web';

/** As predicates write them, in lower case, since names match whatever their case; none of a filter that does not parse. */
export function namesIn(where: string): ReadonlySet<string> {
  try {
    const columns = where.trim() === '' ? [] : referencedColumns(parsePredicate(where));
    return new Set(columns.map((path) => columnPathToString(path).toLowerCase()));
  } catch {
    return new Set(); // the tab that the filter was typed in says what is wrong with it
  }
}
