/** The columns that have statistics: leaves through structs, by the names that people and files know them by. */
import {
  columnPathToString,
  type DataType,
  type DeltaTable,
  parseColumnPath,
  type StructField,
} from 'delta-kernel-web';

const PHYSICAL_NAME = 'delta.columnMapping.physicalName';

export interface LeafColumn {
  /** As it is written in a predicate. */
  readonly name: string;
  readonly logical: readonly string[];
  readonly physical: readonly string[];
  readonly type: DataType;
  readonly isPartition: boolean;
  /** What `partitionValues` of the log calls a partition column. */
  readonly partitionKey: string | undefined;
}

export function leafColumns(table: DeltaTable): LeafColumn[] {
  const { schema, metadata, properties } = table;
  const keys = partitionKeys(table);
  const isMapped = properties.columnMappingMode !== 'none';
  const leaves = (fields: readonly StructField[], logical: string[], physical: string[]): LeafColumn[] =>
    fields.flatMap((field) => {
      const name = [...logical, field.name];
      const stored = [...physical, isMapped ? physicalName(field) : field.name];
      if (field.type.kind === 'struct') return leaves(field.type.fields, name, stored);
      const partition = name.length === 1 ? metadata.partitionColumns.indexOf(field.name) : -1;
      return [
        {
          name: columnPathToString(name),
          logical: name,
          physical: stored,
          type: field.type,
          isPartition: partition >= 0,
          partitionKey: keys[partition],
        },
      ];
    });
  return leaves(schema.fields, [], []);
}

/** Names that people know for those that logs and files have. */
export class ColumnNames {
  readonly #leaves: readonly LeafColumn[];
  readonly #known = new Map<string, string>();

  constructor(table: DeltaTable) {
    this.#leaves = leafColumns(table);
  }

  /** The path of a column, or of what lies within one, as people know it; as it is where the table has no such column. */
  logical(path: readonly string[]): readonly string[] {
    const leaf = this.#leaves.find(({ physical }) => physical.every((name, at) => name === path[at]));
    return leaf === undefined ? path : [...leaf.logical, ...path.slice(leaf.physical.length)];
  }

  /** A statistic such as ``minValues.`col-1` `` as `minValues.fare`; partition values by the column's name alone. */
  statistic(written: string): string {
    let shown = this.#known.get(written);
    if (shown === undefined) {
      const [part = '', ...path] = parseColumnPath(written);
      const column = this.logical(path);
      shown = columnPathToString(part === 'partitionValues' ? column : [part, ...column]);
      this.#known.set(written, shown);
    }
    return shown;
  }
}

/** What `partitionValues` of the log calls each partition column, in their order. */
export function partitionKeys({ schema, metadata, properties }: DeltaTable): string[] {
  return metadata.partitionColumns.map((name) => {
    const field = schema.fields.find((candidate) => candidate.name === name);
    if (properties.columnMappingMode !== 'none' && field !== undefined) return physicalName(field);
    return metadata.storedPartitionNames?.[name] ?? name;
  });
}

function physicalName({ name, metadata }: StructField): string {
  const physical = metadata[PHYSICAL_NAME];
  return typeof physical === 'string' ? physical : name;
}
