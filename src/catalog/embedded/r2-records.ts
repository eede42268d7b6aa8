/** Records in an R2 bucket, replaced with `If-Match`: for a deployment of one bucket. */
import { DeltaError } from '../../errors.ts';
import type { RecordStore, StoredRecord } from './record-store.ts';

/** The part of the Workers `R2Bucket` that is used here. */
export interface R2RecordBucket {
  get(key: string): Promise<{ readonly httpEtag: string; text(): Promise<string> } | null>;
  put(key: string, value: string, options: { onlyIf: Headers }): Promise<object | null>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<{
    objects: readonly { readonly key: string }[];
    truncated: boolean;
    cursor?: string;
  }>;
}

export class R2RecordStore implements RecordStore {
  readonly #bucket: R2RecordBucket;
  readonly #prefix: string;

  /** @param prefix of the keys of records, outside of every table. */
  constructor(bucket: R2RecordBucket, { prefix = '_catalog/' }: { prefix?: string } = {}) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async read(key: string): Promise<StoredRecord | undefined> {
    return this.#call('reading', key, async () => {
      const object = await this.#bucket.get(this.#prefix + key);
      if (object === null) return undefined;
      const content = await object.text();
      return { text: content.slice(content.indexOf('\n') + 1), tag: object.httpEtag };
    });
  }

  /** The condition as a header, which all versions of the binding take; one that fails is told by null. */
  async replace(key: string, text: string, tag: string | undefined): Promise<boolean> {
    const onlyIf = new Headers(tag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': tag });
    return this.#call('writing', key, async () => {
      // R2's tags are checksums: the same text must not have the same tag again.
      const content = `${globalThis.crypto.randomUUID()}\n${text}`;
      return (await this.#bucket.put(this.#prefix + key, content, { onlyIf })) !== null;
    });
  }

  async remove(key: string): Promise<void> {
    await this.#call('deleting', key, () => this.#bucket.delete(this.#prefix + key));
  }

  async *keys(prefix: string): AsyncIterable<string> {
    let cursor: string | undefined;
    do {
      const options = { prefix: this.#prefix + prefix, ...(cursor !== undefined && { cursor }) };
      const page = await this.#call('listing', prefix, () => this.#bucket.list(options));
      for (const { key } of page.objects) yield key.slice(this.#prefix.length);
      cursor = page.truncated ? page.cursor : undefined;
    } while (cursor !== undefined);
  }

  async #call<T>(what: string, key: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (cause) {
      const detail = cause instanceof Error ? `: ${cause.message}` : '';
      throw new DeltaError('IOError', `${what} of the record ${key} in R2 failed${detail}`, {
        path: key,
        cause,
      });
    }
  }
}
