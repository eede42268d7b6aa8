/** Small XML documents: elements and text, as services answer them. Attributes are passed over. */

export interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  /** Of the element itself, without that of its children. */
  text: string;
}

/** One piece of a document; which, its named groups tell. */
const PIECE = new RegExp(
  [
    /<\?[\s\S]*?\?>|<!--[\s\S]*?-->|<!DOCTYPE[^[\]>]*>/,
    /<!\[CDATA\[(?<raw>[\s\S]*?)\]\]>/,
    /<\/(?<end>[^\s<>/]+)\s*>/,
    /<(?<start>[^\s<>/!?]+)(?:[^<>"'/]|"[^"<]*"|'[^'<]*')*(?<empty>\/?)>/,
    /(?<text>[^<]+)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'y',
);

/** The root element; undefined where the text is no whole document. */
export function parseXml(document: string): XmlElement | undefined {
  const top: XmlElement = { name: '', children: [], text: '' };
  const open: XmlElement[] = [top];
  for (let at = 0; at < document.length; ) {
    PIECE.lastIndex = at;
    const groups = PIECE.exec(document)?.groups;
    if (groups === undefined || !take(groups, open)) return undefined;
    at = PIECE.lastIndex;
  }
  const [root, ...others] = top.children;
  const isWhole = open.length === 1 && others.length === 0 && /^\uFEFF?\s*$/.test(top.text);
  return isWhole ? root : undefined;
}

/** Adds a piece to the innermost open element; false where it cannot stand there. */
function take(
  { raw, end, start, empty, text }: Readonly<Record<string, string | undefined>>,
  open: XmlElement[],
): boolean {
  const current = open.at(-1)!;
  if (end !== undefined) return open.length > 1 && open.pop()!.name === end;
  if (start !== undefined) {
    const element: XmlElement = { name: start, children: [], text: '' };
    current.children.push(element);
    if (empty === '') open.push(element);
    return true;
  }
  const added = text === undefined ? (raw ?? '') : decodeEntities(text);
  current.text += added ?? '';
  return added !== undefined;
}

/** Text of the first child of a name. */
export function textOfChild({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Undefined where an entity is unknown or none. */
function decodeEntities(text: string): string | undefined {
  let isValid = true;
  const decoded = text.replace(/&([^;&]*);?/g, (whole, name: string) => {
    const value = whole.endsWith(';') ? entity(name) : undefined;
    isValid &&= value !== undefined;
    return value ?? '';
  });
  return isValid ? decoded : undefined;
}

function entity(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}))$/.exec(name) ?? [];
  if (hex === undefined && decimal === undefined)
    return Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
