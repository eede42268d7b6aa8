/** From what a person chose to a table in a storage. What only some need, such as the S3 SDK, comes when it is needed. */
import { DeltaTable, HttpStorageHandler, type OpenOptions, type StorageHandler } from 'delta-kernel-web';
import { DirectoryStorageHandler } from 'delta-kernel-web/directory';
import { OpfsStorageHandler } from 'delta-kernel-web/opfs';
import { opfsUrl } from '../places.ts';
import type { S3Keys, S3Settings, Source } from './protocol.ts';
import type { UnitySource } from './protocol-open.ts';

/** Folder in this browser's own storage, of the tables that its catalog makes. */
export const CATALOG_FOLDER = 'catalog';

/** A table's place in a storage. */
export interface Place {
  url: string | URL;
  storage?: StorageHandler;
}

export type SourceOpenOptions = Pick<OpenOptions, 'version' | 'timestamp' | 'signal'>;

/** Opens a table wherever it is. `watch` wraps the storage, except for tables of catalogs. */
export async function openSource(
  source: Source,
  options: SourceOpenOptions,
  watch: (storage: StorageHandler) => StorageHandler = (storage) => storage,
): Promise<DeltaTable> {
  if (source.kind === 'unity') return (await unityOf(source)).open(source.table, options);
  if (source.kind === 'catalog') return (await browserCatalog()).open(source.table, options);
  const { url, storage } = await locate(source);
  return DeltaTable.open({ url, ...(storage && { storage: watch(storage) }) }, options);
}

/** Every call makes a storage of its own, so that nothing of a closed table stays in memory. */
export async function locate(source: Exclude<Source, { kind: 'unity' | 'catalog' }>): Promise<Place> {
  switch (source.kind) {
    case 'url': {
      // Other schemes go to the package without a storage: it says which ones it knows.
      const isHttp = /^https?:/i.test(source.url);
      return isHttp ? { url: source.url, storage: new HttpStorageHandler() } : { url: source.url };
    }
    case 's3':
      return { url: source.url, storage: await s3Storage(source, source.keys) };
    case 'opfs':
      return { url: opfsUrl(source.path), storage: new OpfsStorageHandler() };
    case 'directory':
      return rooted(new DirectoryStorageHandler(source.handle, { writable: source.writable ?? false }));
    case 'files':
      return rooted(new DirectoryStorageHandler(filesOf(source.name, source.files)));
  }
}

/** Whether commits can be made there: the storage may still refuse them. */
export function isWritable(source: Source): boolean {
  switch (source.kind) {
    case 'url':
    case 'files':
      return false;
    case 's3':
      return source.keys !== undefined;
    case 'directory':
      return source.writable ?? false;
    default:
      return true;
  }
}

/** The Unity Catalog of a source. */
export async function unityOf(
  source: Omit<UnitySource, 'kind' | 'table'>,
  wrapStorage?: (storage: StorageHandler) => StorageHandler,
) {
  const { server, token, region, endpoint, style } = source;
  const { UnityCatalog } = await import('delta-kernel-web/unity');
  const s3 = { region, endpoint, forcePathStyle: style === undefined ? undefined : style === 'path' };
  return new UnityCatalog({ url: server, token, s3, wrapStorage });
}

/** The catalog that this browser's own storage holds. */
export async function browserCatalog(storage: StorageHandler = new OpfsStorageHandler()) {
  const { OpfsRecordStore, StorageCatalog } = await import('delta-kernel-web/catalog');
  return new StorageCatalog({
    records: new OpfsRecordStore(),
    storage,
    root: `opfs:///${CATALOG_FOLDER}/`,
  });
}

async function s3Storage(
  { region, endpoint, style }: S3Settings,
  keys: S3Keys | undefined,
): Promise<StorageHandler> {
  const { publicS3, S3StorageHandler } = await import('delta-kernel-web/s3');
  const place = { ...(region && { region }), ...(endpoint && { endpoint }) };
  if (keys === undefined) return publicS3(place);
  const { S3Client } = await import('@aws-sdk/client-s3');
  return new S3StorageHandler(
    new S3Client({
      region: 'us-east-1',
      ...place,
      credentials: keys,
      forcePathStyle: style === undefined ? endpoint !== undefined : style === 'path',
      // With an endpoint of their own, buckets have no other region to lead to.
      followRegionRedirects: endpoint === undefined,
      // Stores that only speak like S3 may not know the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
  );
}

function rooted(storage: DirectoryStorageHandler): Place {
  return { url: storage.root, storage };
}

/** Dropped files have no relative path, and not every browser keeps it when a file is sent to a worker. */
function filesOf(folder: string, files: readonly { path: string; file: File }[]): File[] {
  return files.map(({ path, file }) =>
    Object.defineProperty(file, 'webkitRelativePath', { value: `${folder}/${path}` }),
  );
}
