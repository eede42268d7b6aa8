/** Tables as links name them: found again by them, and no secret in them. */
import { describe, expect, it } from 'vitest';
import { placeOf, sourceOf, sourceOfUrl } from '../../web-demo/src/places.ts';
import type { Source } from '../../web-demo/src/worker/protocol.ts';

const keys = { accessKeyId: 'AKIASECRET', secretAccessKey: 'SECRET', sessionToken: 'SECRET' };

describe('sources through links', () => {
  it.each<[Source, Source]>([
    [
      { kind: 'url', url: 'https://user:SECRET@host/a%20b/?sig=SECRET#SECRET' },
      { kind: 'url', url: 'https://host/a%20b/' },
    ],
    [
      { kind: 's3', url: 's3://bucket/t', region: 'eu-central-1' },
      { kind: 's3', url: 's3://bucket/t', region: 'eu-central-1' },
    ],
    [
      {
        kind: 's3',
        url: 's3://b/t',
        endpoint: 'https://SECRET:SECRET@minio:9000/?x=SECRET',
        style: 'host',
        keys,
      },
      { kind: 's3', url: 's3://b/t', endpoint: 'https://minio:9000/', style: 'host', isLocked: true },
    ],
    [
      { kind: 'unity', server: 'https://SECRET@uc/api/?t=SECRET', table: 'a.`b.c`.d', token: 'SECRET' },
      { kind: 'unity', server: 'https://uc/api/', table: 'a.`b.c`.d', isLocked: true },
    ],
    [
      { kind: 'unity', server: 'https://uc/', table: 'a.b.c' },
      { kind: 'unity', server: 'https://uc/', table: 'a.b.c' },
    ],
    [
      { kind: 'opfs', path: 'a b/50%/what?#' },
      { kind: 'opfs', path: 'a b/50%/what?#' },
    ],
    [
      { kind: 'catalog', table: 'orders' },
      { kind: 'catalog', table: 'orders' },
    ],
  ])('%o', (source, found) => {
    const place = placeOf(source);
    const link = new URLSearchParams({ ...place }).toString();
    expect(link).not.toContain('SECRET');
    expect(sourceOf(Object.fromEntries(new URLSearchParams(link)))).toEqual(found);
    // Locked or not, it is the same place.
    expect(placeOf(found)).toEqual(place);
  });

  it('folders have no place, and a link without one names no table', () => {
    expect(placeOf({ kind: 'files', name: 'trips', files: [] })).toEqual({});
    expect(sourceOf({})).toBeUndefined();
  });
});

describe('what people paste', () => {
  it.each<[string, Source]>([
    ['https://h/t?sig=x', { kind: 'url', url: 'https://h/t?sig=x' }],
    ['s3a://KEY:SECRET@bucket/t', { kind: 's3', url: 's3a://bucket/t' }],
    ['S3://Bucket/t', { kind: 's3', url: 's3://Bucket/t' }],
    ['opfs:///a%20b/', { kind: 'opfs', path: 'a b' }],
    ['abfss://c@a/t', { kind: 'url', url: 'abfss://c@a/t' }],
  ])('%s', (text, source) => expect(sourceOfUrl(text)).toEqual(source));
});
