/** Documents as services answer them, and what is none. */
import { describe, expect, it } from 'vitest';
import { parseXml, textOfChild } from '../../../src/storage/xml.ts';

const keyOf = (inner: string) => textOfChild(parseXml(`<a><Key>${inner}</Key></a>`)!, 'Key');

describe('text', () => {
  it.each([
    ['', ''],
    ['a &lt;b&gt; &amp;amp; &quot;c&quot; &apos;', `a <b> &amp; "c" '`],
    ['&#10; &#x1F600;&#233;', '\n 😀é'],
    ['  kept\t ', '  kept\t '],
    ['\n', '\n'],
    ['<![CDATA[<x>&amp;]]>y', '<x>&amp;y'],
    ['a<!-- <b> -->c', 'ac'],
    ['%20+é', '%20+é'],
  ])('%j is %j', (inner, text) => expect(keyOf(inner)).toBe(text));
});

it('has elements in their order, with declaration, namespace, attributes and empty ones', () => {
  const root = parseXml(
    '\uFEFF<?xml version="1.0"?>\n<!DOCTYPE r>\n<r xmlns="http://x/y" a=\'>\'>\n <b><c/></b><b at="1" /></r>\n',
  );
  expect(root).toMatchObject({ name: 'r', children: [{ name: 'b' }, { name: 'b', children: [], text: '' }] });
  expect(root?.children[0]?.children).toEqual([{ name: 'c', children: [], text: '' }]);
});

it.each([
  '',
  'text',
  '<a>',
  '<a><b></a>',
  '<a></b>',
  '</a>',
  '<a/><b/>',
  'x<a/>',
  '<a>&nbsp;</a>',
  '<a>&#1114112;</a>',
  '<a>a & b</a>',
  '<a b="<">',
  '<a',
  '<!-- <a/>',
  '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
  '<a>&__proto__;</a>',
])('%j is no whole document', (text) => expect(parseXml(text)).toBeUndefined());

it('takes time in proportion to the length, whatever it is', () => {
  const start = performance.now();
  for (const part of ['<a ', '<a>', '"\'', '&', '<!--', ' ', '<a "']) parseXml(part.repeat(100_000));
  expect(performance.now() - start).toBeLessThan(5000);
});
