/** Publishing by copies: what catalog committers do whose catalog does not publish by itself. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine, FileMeta } from '../engine.ts';
import { relativePath } from '../paths.ts';
import type { CatalogCommit, PublishMetadata } from './committer.ts';

/**
 * Copies the staged commits in order. One that is published already is done. A staged or a published file of another
 * length than the catalog says is `InvalidLog`: it is not copied, and whatever follows is left alone.
 */
export async function publishByCopies(
  engine: Engine,
  metadata: PublishMetadata,
  options: CallOptions = {},
): Promise<void> {
  for (const commit of metadata.commitsToPublish) await publishOne(engine, metadata, commit, options);
}

async function publishOne(
  engine: Engine,
  { tableRoot }: PublishMetadata,
  { location, publishedLocation, version, size }: CatalogCommit,
  options: CallOptions,
): Promise<void> {
  const { storageHandler } = engine;
  const check = (what: string, file: FileMeta) => {
    if (file.size === size) return;
    const message = `the ${what} commit of version ${version} has ${file.size} bytes, the catalog's ${size}`;
    const path = relativePath(tableRoot, file.location) ?? shownUrl(file.location);
    throw new DeltaError('InvalidLog', message, { table: shownUrl(tableRoot), version, path });
  };
  try {
    // Before the copy, which would be there for ever.
    check('staged', await storageHandler.head(location, options));
  } catch (error) {
    // Somebody published it and cleaned up: the copy finds that out.
    if (!isDeltaError(error, 'FileNotFound')) throw error;
  }
  try {
    await storageHandler.copyAtomic(location, publishedLocation, options);
  } catch (error) {
    if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
  }
  check('published', await storageHandler.head(publishedLocation, options));
}
