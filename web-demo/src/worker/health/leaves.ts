/** Columns that statistics may cover. */
import { parsePredicate, type StructField, type StructType } from 'delta-kernel-web';

export interface Leaf {
  readonly path: readonly string[];
  /** As statistics name it. */
  readonly physicalPath: readonly string[];
}

/** Enough to say what is missing; tables may have thousands. */
const MAX_LEAVES = 200;
const PHYSICAL_NAME = 'delta.columnMapping.physicalName';

/** The first leaf columns, within structs too; arrays, maps and variants have no statistics. */
export function leavesOf(schema: StructType): Leaf[] {
  return fieldsOf(schema.fields, { path: [], physicalPath: [] }).slice(0, MAX_LEAVES);
}

function fieldsOf(fields: readonly StructField[], parent: Leaf): Leaf[] {
  return fields.flatMap(({ name, type, metadata }) => {
    const physical = metadata[PHYSICAL_NAME];
    const leaf = {
      path: [...parent.path, name],
      physicalPath: [...parent.physicalPath, typeof physical === 'string' ? physical : name],
    };
    if (type.kind === 'struct') return fieldsOf(type.fields, leaf);
    return type.kind === 'primitive' || type.kind === 'decimal' ? [leaf] : [];
  });
}

/** Those that a filter names; none for one that does not parse. */
export function filteredLeaves(leaves: readonly Leaf[], where: string): ReadonlySet<Leaf> {
  const names = new Set(namesIn(where));
  return new Set(leaves.filter(({ path }) => names.has(path.join('.').toLowerCase())));
}

function namesIn(where: string): string[] {
  try {
    return where.trim() === '' ? [] : columnNames(parsePredicate(where));
  } catch {
    return [];
  }
}

function columnNames(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  if ('kind' in node && node.kind === 'column' && 'path' in node && Array.isArray(node.path)) {
    return [node.path.join('.').toLowerCase()];
  }
  return Object.values(node).flatMap(columnNames);
}
