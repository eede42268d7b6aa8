import { useMemo } from 'preact/hooks';
import { type JsonToken, layOut } from './lay-out.ts';

/** Characters that get colours: every token is an element. */
const MAX_LIT = 40_000;

/** JSON with a line per member; every token is as in the text, so that no number or escape changes. */
export function JsonText({ text }: { text: string }) {
  const tokens = useMemo(() => layOut(text), [text]);
  const plain = tokens.map((token) => token.text).join('');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
    <pre class="text json-text" tabIndex={0}>
      {plain.length > MAX_LIT
        ? plain
        : tokens.map((token, at) => (token.kind === 'other' ? token.text : <Lit key={at} token={token} />))}
    </pre>
  );
}

function Lit({ token: { kind, text } }: { token: JsonToken }) {
  return <span class={kind}>{text}</span>;
}
