/** Small XML documents, as services answer them: elements and text. Attributes are passed over. */
import { XmlElement as Element, parseXml as parseDocument, XmlText } from '@rgrove/parse-xml';

export interface XmlElement {
  readonly name: string;
  readonly children: XmlElement[];
  /** Of the element itself, without that of its children. */
  readonly text: string;
}

/** The root element; undefined where the text is no whole document. */
export function parseXml(document: string): XmlElement | undefined {
  try {
    const { root } = parseDocument(document);
    return root === null ? undefined : plain(root);
  } catch {
    return undefined; // the caller says what was expected
  }
}

function plain({ name, children }: Element): XmlElement {
  const elements = children.filter((child) => child instanceof Element);
  const texts = children.filter((child) => child instanceof XmlText);
  return { name, children: elements.map(plain), text: texts.map(({ text }) => text).join('') };
}

/** Text of the first child of a name. */
export function textOfChild({ children }: XmlElement, name: string): string | undefined {
  return children.find((child) => child.name === name)?.text;
}
