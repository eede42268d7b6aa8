import type { DataType, StructField, StructType } from 'delta-kernel-web';

const PHYSICAL_NAME = 'delta.columnMapping.physicalName';
const COLUMN_ID = 'delta.columnMapping.id';

/** Columns with their types, nested ones to open. */
export function SchemaTree(props: { schema: StructType; partitionColumns: readonly string[] }) {
  const { schema, partitionColumns } = props;
  if (schema.fields.length === 0) return <p class="empty">The table has no columns.</p>;
  return (
    <ul class="schema">
      {schema.fields.map((field) => (
        <FieldItem key={field.name} field={field} partition={partitionColumns.includes(field.name)} />
      ))}
    </ul>
  );
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
