/** A nested value as a tree; digits of numbers stay as they are, leaves show as in cells. */
import type { DataType } from 'delta-kernel-web';
import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { useMemo, useState } from 'preact/hooks';
import { formatCount } from '../../format.ts';
import { cellDisplay } from './display.ts';

/** Parts of a value that are shown at once. */
const STEP = 200;
/** Levels that are open at first. */
const OPEN_LEVELS = 2;

const VARIANT: DataType = { kind: 'variant' };

interface TreeProps {
  json: string;
  type: DataType;
  zone: string;
}

export function JsonTree({ json, type, zone }: TreeProps) {
  const value = useMemo(() => parse(json), [json]);
  return (
    <ul class="json" aria-label="Value">
      <Node name={undefined} value={value} type={type} zone={zone} level={0} />
    </ul>
  );
}

interface NodeProps {
  name: string | undefined;
  value: unknown;
  type: DataType;
  zone: string;
  level: number;
}

function Node({ name, value, type, zone, level }: NodeProps) {
  const [isOpen, setOpen] = useState(level < OPEN_LEVELS);
  const parts = partsOf(value, type);
  const label = name !== undefined && <span class="key">{name}</span>;
  if (parts === undefined) {
    return (
      <li>
        {label} <Leaf value={value} type={type} zone={zone} />
      </li>
    );
  }
  const size = `${formatCount(parts.length)} ${Array.isArray(value) ? 'items' : 'fields'}`;
  return (
    <li>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {label} <span class="hint">{size}</span>
        </summary>
        {isOpen && <Parts parts={parts} zone={zone} level={level + 1} />}
      </details>
    </li>
  );
}

function Parts({ parts, zone, level }: { parts: Part[]; zone: string; level: number }) {
  const [shown, setShown] = useState(STEP);
  return (
    <ul>
      {parts.slice(0, shown).map(({ name, value, type }) => (
        <Node key={name} name={name} value={value} type={type} zone={zone} level={level} />
      ))}
      {parts.length > shown && (
        <li>
          <button type="button" class="small" onClick={() => setShown(shown + STEP)}>
            {formatCount(parts.length - shown)} more
          </button>
        </li>
      )}
    </ul>
  );
}

function Leaf({ value, type, zone }: Pick<NodeProps, 'value' | 'type' | 'zone'>) {
  const json = value === null ? null : isLosslessNumber(value) ? value.value : stringify(value)!;
  const isText = typeof value === 'string' && (type.kind === 'variant' || isString(type));
  const { text, kind } = cellDisplay(json, type.kind === 'variant' ? leafType(value) : type, zone);
  return <span class={`leaf ${kind}`}>{isText && kind === 'value' ? JSON.stringify(text) : text}</span>;
}

function isString(type: DataType): boolean {
  return type.kind === 'primitive' && type.name === 'string';
}

/** Of a variant's leaf: its text says what it is. */
function leafType(value: unknown): DataType {
  return { kind: 'primitive', name: typeof value === 'string' ? 'string' : 'double' };
}

interface Part {
  name: string;
  value: unknown;
  type: DataType;
}

/** Undefined for leaves. */
function partsOf(value: unknown, type: DataType): Part[] | undefined {
  if (value === null || typeof value !== 'object' || isLosslessNumber(value)) return undefined;
  if (Array.isArray(value)) {
    return value.map((each, at) => ({ name: String(at), value: each, type: elementType(type) }));
  }
  return Object.entries(value).map(([name, each]) => ({ name, value: each, type: fieldType(type, name) }));
}

function elementType(type: DataType): DataType {
  if (type.kind === 'array') return type.elementType;
  // A map whose keys are no text is a list of entries.
  if (type.kind === 'map') return entryType(type.keyType, type.valueType);
  return VARIANT;
}

function entryType(key: DataType, value: DataType): DataType {
  const part = (name: string, type: DataType) => ({ name, type, nullable: true, metadata: {} });
  return { kind: 'struct', fields: [part('key', key), part('value', value)] };
}

function fieldType(type: DataType, name: string): DataType {
  if (type.kind === 'struct') return type.fields.find((each) => each.name === name)?.type ?? VARIANT;
  return type.kind === 'map' ? type.valueType : VARIANT;
}
