/** Kept files as a web server answers them (RFC 9110, 14.2). */

/** The whole file, or the single range that is asked for. */
export async function answerWith(kept: Response, range: string | null): Promise<Response> {
  const body = await kept.blob();
  const headers = headersOf(kept);
  const wanted = rangeOf(range, body.size);
  if (wanted === undefined)
    return new Response(body, { headers: { ...headers, 'Content-Length': String(body.size) } });
  const { start, end } = wanted;
  if (start >= body.size) {
    return new Response(null, { status: 416, headers: { 'Content-Range': `bytes */${body.size}` } });
  }
  return new Response(body.slice(start, end), {
    status: 206,
    headers: {
      ...headers,
      'Content-Length': String(end - start),
      'Content-Range': `bytes ${start}-${end - 1}/${body.size}`,
    },
  });
}

/** What readers look at. Not the encoding: what is kept is decoded. */
function headersOf({ headers }: Response): Record<string, string> {
  const names = ['Content-Type', 'Last-Modified', 'ETag'];
  return Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)!]] : [])));
}

/** `end` is not in it; undefined for none, and for several, which a server may answer as a whole. */
function rangeOf(header: string | null, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') return { start: Math.max(size - Number(last), 0), end: size };
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) };
}
