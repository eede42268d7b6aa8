import { useId } from 'preact/hooks';
import type { NewColumn } from '../../worker/protocol-write.ts';
import { TYPE_NAMES } from './features.ts';

/** A column of the form; `key` tells it from the others while names change. */
export interface FormColumn extends NewColumn {
  key: number;
  isPartition: boolean;
}

let lastKey = 0;

export function formColumn(column: Partial<NewColumn> = {}): FormColumn {
  lastKey += 1;
  return { key: lastKey, name: '', type: 'string', nullable: true, isPartition: false, ...column };
}

interface NewColumnsProps {
  columns: FormColumn[];
  onColumns: (columns: FormColumn[]) => void;
}

/** Names, types, nullability and partitioning of a new table's columns. */
export function NewColumns({ columns, onColumns }: NewColumnsProps) {
  const types = useId();
  const change = (key: number, part: Partial<FormColumn>) =>
    onColumns(columns.map((column) => (column.key === key ? { ...column, ...part } : column)));
  return (
    <div class="columns">
      <datalist id={types}>
        {TYPE_NAMES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {columns.map((column, at) => (
        <ColumnRow
          key={column.key}
          number={at + 1}
          column={column}
          types={types}
          onChange={(part) => change(column.key, part)}
          onRemove={
            columns.length > 1 ? () => onColumns(columns.filter(({ key }) => key !== column.key)) : undefined
          }
        />
      ))}
      <div class="row">
        <button type="button" onClick={() => onColumns([...columns, formColumn()])}>
          Add a column
        </button>
      </div>
    </div>
  );
}

interface ColumnRowProps {
  number: number;
  column: FormColumn;
  /** Of the list of types. */
  types: string;
  onChange: (part: Partial<FormColumn>) => void;
  onRemove: (() => void) | undefined;
}

function ColumnRow({ number, column, types, onChange, onRemove }: ColumnRowProps) {
  const { name, type, nullable, isPartition } = column;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset with a legend for each row would be heavier than its content
    <div class="new-column" role="group" aria-label={`Column ${number}`}>
      <input
        aria-label={`Name of column ${number}`}
        placeholder="name"
        value={name}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange({ name: currentTarget.value })}
      />
      <input
        aria-label={`Type of column ${number}`}
        list={types}
        value={type}
        spellcheck={false}
        autocomplete="off"
        onInput={({ currentTarget }) => onChange({ type: currentTarget.value })}
      />
      <label>
        <input
          type="checkbox"
          checked={!nullable}
          onChange={({ currentTarget }) => onChange({ nullable: !currentTarget.checked })}
        />{' '}
        not null
      </label>
      <label>
        <input
          type="checkbox"
          checked={isPartition}
          onChange={({ currentTarget }) => onChange({ isPartition: currentTarget.checked })}
        />{' '}
        partition
      </label>
      <button
        type="button"
        class="quiet"
        disabled={onRemove === undefined}
        aria-label={`Remove column ${number}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </div>
  );
}
