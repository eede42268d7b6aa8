import type { DataType, StructField, StructType } from 'delta-kernel-web';
import { useState } from 'preact/hooks';
import { formatCount } from '../format.ts';

const PHYSICAL_NAME = 'delta.columnMapping.physicalName';
const COLUMN_ID = 'delta.columnMapping.id';
const GENERATION = 'delta.generationExpression';
const DEFAULT = 'CURRENT_DEFAULT';
const IDENTITY_START = 'delta.identity.start';
const IDENTITY_STEP = 'delta.identity.step';
const INVARIANTS = 'delta.invariants';
const TYPE_CHANGES = 'delta.typeChanges';

/** Columns at first: a table may have thousands. */
const FIRST = 300;

/** Columns with their types, nested ones to open. */
export function SchemaTree(props: { schema: StructType; partitionColumns: readonly string[] }) {
  const { schema, partitionColumns } = props;
  const [shown, setShown] = useState(FIRST);
  const { fields } = schema;
  if (fields.length === 0) return <p class="empty">The table has no columns.</p>;
  return (
    <>
      <ul class="schema">
        {fields.slice(0, shown).map((field) => (
          <FieldItem key={field.name} field={field} partition={partitionColumns.includes(field.name)} />
        ))}
      </ul>
      {fields.length > shown && (
        <button type="button" onClick={() => setShown(fields.length)}>
          Show {formatCount(fields.length - shown)} more columns
        </button>
      )}
    </>
  );
}

/** What the metadata of a column asks of its values, as text. */
export function fieldRules({ metadata }: StructField) {
  const at = (key: string) => (key in metadata ? text(metadata[key]) : undefined);
  const [start, step] = [at(IDENTITY_START), at(IDENTITY_STEP)];
  return {
    generated: at(GENERATION),
    default: at(DEFAULT),
    identity: step === undefined ? undefined : `from ${start} in steps of ${step}`,
    invariant: invariantOf(at(INVARIANTS)),
    typeChanges: typeChangesOf(metadata[TYPE_CHANGES]),
  };
}

/** `PROTOCOL.md`, "Column Invariants": `{"expression": {"expression": "x > 3"}}`. */
function invariantOf(json: string | undefined): string | undefined {
  const [, quoted] = /"expression"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(json ?? '') ?? [];
  try {
    return quoted === undefined ? json : String(JSON.parse(quoted));
  } catch {
    return json; // another writer's: as it stands
  }
}

/** `PROTOCOL.md`, "Type Change Metadata". */
function typeChangesOf(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const before = value.map((change: Record<string, unknown>) => {
    const path = change.fieldPath === undefined ? '' : `${text(change.fieldPath)} `;
    return `${path}${text(change.fromType)}`;
  });
  return `was ${before.join(', then ')}`;
}

function FieldItem({ field, partition }: { field: StructField; partition?: boolean }) {
  const children = childFields(field.type);
  const line = (
    <>
      <span class="name">{field.name}</span> <code>{typeName(field.type)}</code>
      {!field.nullable && <span class="badge">not null</span>}
      {partition === true && <span class="badge strong">partition</span>}
      {COLUMN_ID in field.metadata && (
        <span class="badge" title={`stored as ${text(field.metadata[PHYSICAL_NAME])}`}>
          id {text(field.metadata[COLUMN_ID])}
        </span>
      )}
      <Rules field={field} />
      {typeof field.metadata.comment === 'string' && <span class="comment">{field.metadata.comment}</span>}
    </>
  );
  if (children.length === 0) return <li>{line}</li>;
  return (
    <li>
      <details open>
        <summary>{line}</summary>
        <ul>
          {children.map((child) => (
            <FieldItem key={child.name} field={child} />
          ))}
        </ul>
      </details>
    </li>
  );
}

function Rules({ field }: { field: StructField }) {
  const { generated, identity, typeChanges, ...rules } = fieldRules(field);
  const shown: [string, string | undefined][] = [
    ['generated as', generated],
    ['default', rules.default],
    ['identity', identity],
    ['check', rules.invariant],
    ['', typeChanges],
  ];
  return (
    <>
      {shown.map(
        ([name, rule]) =>
          rule !== undefined && (
            <span key={name} class="badge">
              {name} {rule}
            </span>
          ),
      )}
    </>
  );
}

/** What to show below a type: a struct's fields, and the structs within arrays and maps. */
function childFields(type: DataType): readonly StructField[] {
  if (type.kind === 'struct') return type.fields;
  if (type.kind === 'array') return childFields(type.elementType);
  if (type.kind !== 'map') return [];
  return [...childFields(type.keyType), ...childFields(type.valueType)];
}

function typeName(type: DataType): string {
  switch (type.kind) {
    case 'decimal':
      return `decimal(${type.precision},${type.scale})`;
    case 'array':
      return `array<${typeName(type.elementType)}>`;
    case 'map':
      return `map<${typeName(type.keyType)}, ${typeName(type.valueType)}>`;
    case 'primitive':
    case 'opaque':
      return type.name;
    default:
      return type.kind;
  }
}

/** A metadata value as text; numbers from the log come as objects that hold their text. */
function text(value: unknown): string {
  if (typeof value === 'object' && value !== null && 'value' in value) return String(value.value);
  return String(value);
}
