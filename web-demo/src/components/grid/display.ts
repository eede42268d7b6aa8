/** What a cell shows. */
import type { DataType } from 'delta-kernel-web';
import { isNested, valueText } from '../../values.ts';

export interface CellDisplay {
  readonly text: string;
  /** Null and empty text are told apart; what is on its way shows nothing. */
  readonly kind: 'value' | 'null' | 'empty' | 'nested' | 'waiting';
}

/** @param json the value's JSON text, null, or undefined while it is on its way. */
export function cellDisplay(json: string | null | undefined, type: DataType, zone: string): CellDisplay {
  if (json === undefined) return { text: '', kind: 'waiting' };
  if (json === null) return { text: 'null', kind: 'null' };
  if (isNested(type)) return { text: json, kind: 'nested' };
  const text = valueText(json, type, zone);
  if (text === '') return { text: 'empty', kind: 'empty' };
  return { text: type.kind === 'primitive' && type.name === 'binary' ? `0x${text}` : text, kind: 'value' };
}

/** One line of it: what breaks lines is shown by signs. */
export function oneLine(text: string): string {
  return text
    .replaceAll('\r\n', '⏎')
    .replaceAll(/[\n\r]/g, '⏎')
    .replaceAll('\t', '⇥');
}
