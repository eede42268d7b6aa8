/** Publishing by copies: what catalog committers do whose catalog does not publish by itself. */
import { DeltaError, isDeltaError, shownUrl } from '../../errors.ts';
import type { CallOptions, Engine } from '../engine.ts';
import { relativePath } from '../paths.ts';
import type { CatalogCommit, PublishMetadata } from './committer.ts';

/**
 * Copies the staged commits in order. One that is published already is done, if it has the length of the staged file:
 * another length is `InvalidLog`, and whatever follows is left alone.
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
  try {
    await engine.storageHandler.copyAtomic(location, publishedLocation, options);
  } catch (error) {
    if (!isDeltaError(error, 'FileAlreadyExists')) throw error;
  }
  const published = await engine.storageHandler.head(publishedLocation, options);
  if (published.size === size) return;
  throw new DeltaError(
    'InvalidLog',
    `the published commit of version ${version} has ${published.size} bytes, the catalog's ${size}`,
    {
      table: shownUrl(tableRoot),
      version,
      path: relativePath(tableRoot, publishedLocation) ?? shownUrl(publishedLocation),
    },
  );
}
