/** Changes of columns (`PROTOCOL.md`, "Column Mapping", "Type Widening"). */
import { DeltaError } from '../../../errors.ts';
import { columnPathToString } from '../../schema/column-path.ts';
import { typeToString } from '../../schema/schema.ts';
import { typeName } from '../../schema/schema-json.ts';
import {
  type DataType,
  METADATA_KEYS,
  type StructField,
  type StructType,
  types,
} from '../../schema/types.ts';
import { isFeatureEnabled } from '../../table-features/protocol-support.ts';
import { isWidening } from '../../type-widening.ts';
import { assignColumnIds, freshPhysicalName, withoutColumnIds } from '../column-ids.ts';
import { featuresOfSchema } from '../enable-features.ts';
import { type Draft, mappingModeOf, requireFeature } from './draft.ts';
import { editField, editType, resolveColumn } from './edit-schema.ts';
import { checkNotReferenced, renamedInProperties } from './references.ts';

const MAX_COLUMN_ID = 'delta.columnMapping.maxColumnId';

/** A new column, last of the struct at `parent`. Old rows have null in it. */
export function addColumn(draft: Draft, field: StructField, parent: readonly string[]): Draft {
  const column = columnPathToString([...parent, field.name]);
  if (!field.nullable) throw refuse(column, 'is NOT NULL: rows that are there have no value for it');
  for (const key of [
    METADATA_KEYS.currentDefault,
    METADATA_KEYS.generationExpression,
    METADATA_KEYS.identityStart,
  ]) {
    if (key in field.metadata) throw refuse(column, `has ${key}, which cannot be added to a table`);
  }
  for (const feature of featuresOfSchema(types.struct([field]))) {
    requireFeature(draft, feature, `the column ${column}`);
  }
  const plain = withoutColumnIds(types.struct([field])).fields[0]!;
  const schema = editType(draft.schema, parent, (type) => {
    if (type.kind !== 'struct') throw refuse(column, `cannot be within a ${typeToString(type)}`);
    checkFree(type, field.name, column);
    return types.struct([...type.fields, plain]);
  }) as StructType;
  return withIds({ ...draft, schema });
}

function checkFree(struct: StructType, name: string, column: string): void {
  const taken = struct.fields.find((each) => each.name.toLowerCase() === name.toLowerCase());
  if (taken !== undefined) throw refuse(column, `is there already, as ${taken.name}`);
}

/** Ids for columns that have none; ids never come back, whatever is dropped. */
function withIds(draft: Draft): Draft {
  if (mappingModeOf(draft) === 'none') return draft;
  const before = Number(draft.configuration[MAX_COLUMN_ID] ?? 0);
  const { schema, maxColumnId } = assignColumnIds(draft.schema, before, () =>
    freshPhysicalName(draft.runtime),
  );
  return {
    ...draft,
    schema,
    configuration: { ...draft.configuration, [MAX_COLUMN_ID]: String(maxColumnId) },
  };
}

/** Files keep the old name: only the logical one changes, and whatever holds it. */
export function renameColumn(draft: Draft, path: readonly string[], name: string): Draft {
  const from = resolveColumn(draft.schema, path).path;
  requireMapping(draft, from, 'renamed');
  checkNotReferenced(from, draft.schema, draft.configuration, 'rename');
  const to = [...from.slice(0, -1), name];
  const schema = editField(draft.schema, from, (field, siblings) => {
    const others = types.struct(siblings.fields.filter((each) => each !== field));
    checkFree(others, name, columnPathToString(to));
    return { ...field, name };
  });
  const renamed = (column: string) => (from.length === 1 && column === from[0] ? name : column);
  return {
    ...draft,
    schema,
    partitionColumns: draft.partitionColumns.map(renamed),
    clusteringColumns: draft.clusteringColumns?.map((column) =>
      isWithin(column, from) ? [...to, ...column.slice(to.length)] : column,
    ),
    configuration: renamedInProperties(draft.configuration, from, to),
  };
}

/** The column's values stay in the files, where nothing refers to them any more. */
export function dropColumn(draft: Draft, path: readonly string[]): Draft {
  const from = resolveColumn(draft.schema, path).path;
  const column = columnPathToString(from);
  requireMapping(draft, from, 'dropped');
  checkNotReferenced(from, draft.schema, draft.configuration, 'drop');
  if (from.length === 1 && draft.partitionColumns.includes(from[0]!))
    throw refuse(column, 'is a partition column');
  if (draft.clusteringColumns?.some((each) => isWithin(each, from)))
    throw refuse(column, 'is a clustering column');
  const schema = editField(draft.schema, from, (_, siblings) => {
    if (siblings.fields.length === 1) throw refuse(column, 'is the last column');
    return undefined;
  });
  if (schema.fields.every(({ name }) => draft.partitionColumns.includes(name))) {
    throw refuse(column, 'is the last column that is no partition column');
  }
  return { ...draft, schema, configuration: renamedInProperties(draft.configuration, from, undefined) };
}

/** A wider type; files that are there keep the old one, and the change is noted for their readers. */
export function widenColumn(draft: Draft, path: readonly string[], to: DataType): Draft {
  const { protocol, configuration } = draft;
  const column = columnPathToString(path);
  if (!isFeatureEnabled(protocol, configuration, 'typeWidening')) {
    throw new DeltaError(
      'Unsupported',
      `column ${column}: types change only with delta.enableTypeWidening = true`,
      {
        column,
        feature: 'typeWidening',
      },
    );
  }
  checkNotReferenced(path, draft.schema, configuration, 'change the type of');
  let change: { fromType: string; toType: string } | undefined;
  const schema = editType(draft.schema, path, (from) => {
    if (
      !isLeaf(from) ||
      !isLeaf(to) ||
      typeName(from) === typeName(to) ||
      !isWidening(typeName(from), typeName(to))
    ) {
      throw refuse(column, `has type ${typeToString(from)}, which does not widen to ${typeToString(to)}`);
    }
    change = { fromType: typeName(from), toType: typeName(to) };
    return to;
  }) as StructType;
  for (const feature of featuresOfSchema(schema)) {
    if (feature !== 'typeWidening') requireFeature(draft, feature, `the type of column ${column}`);
  }
  return { ...draft, schema: noteChange(schema, path, change!) };
}

function isLeaf(type: DataType): boolean {
  return type.kind === 'decimal' || type.kind === 'primitive';
}

/** On the nearest field above; `fieldPath` leads from there into arrays and maps. */
function noteChange(schema: StructType, column: readonly string[], change: object): StructType {
  const { path, fieldDepth } = resolveColumn(schema, column);
  const below = path.slice(fieldDepth);
  const noted = below.length === 0 ? change : { ...change, fieldPath: below.join('.') };
  return editField(schema, path.slice(0, fieldDepth), (field) => {
    const before = field.metadata[METADATA_KEYS.typeChanges];
    const changes: unknown[] = Array.isArray(before) ? before : [];
    return { ...field, metadata: { ...field.metadata, [METADATA_KEYS.typeChanges]: [...changes, noted] } };
  });
}

export function setNullable(draft: Draft, path: readonly string[]): Draft {
  return { ...draft, schema: editField(draft.schema, path, (field) => ({ ...field, nullable: true })) };
}

/** Columns get ids; what files call them so far becomes their physical name. */
export function mapExistingColumns(draft: Draft): Draft {
  const { schema, maxColumnId } = assignColumnIds(withoutColumnIds(draft.schema), 0, ({ name }) => name);
  return {
    ...draft,
    schema,
    configuration: { ...draft.configuration, [MAX_COLUMN_ID]: String(maxColumnId) },
  };
}

function requireMapping(draft: Draft, path: readonly string[], what: string): void {
  if (mappingModeOf(draft) !== 'none') return;
  const column = columnPathToString(path);
  throw new DeltaError(
    'Unsupported',
    `column ${column} cannot be ${what}: files hold its name. Set delta.columnMapping.mode = name first`,
    { column, feature: 'columnMapping' },
  );
}

function isWithin(path: readonly string[], parent: readonly string[]): boolean {
  return parent.every((name, index) => path[index]?.toLowerCase() === name.toLowerCase());
}

function refuse(column: string, problem: string): DeltaError {
  return new DeltaError('Schema', `column ${column} ${problem}`, { column });
}
