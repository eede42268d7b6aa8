/** A {@link Folder} over a `FileSystemDirectoryHandle`. */
import type { Folder } from './folder.ts';
import { findDirectory, findFile, TEMPORARY_DIRECTORY } from './handles.ts';

export function handleFolder(root: FileSystemDirectoryHandle): Folder {
  return {
    file: (segments) => findFile(root, segments),
    async entries(segments) {
      const directory = await findDirectory(root, segments);
      if (directory === undefined) return undefined;
      const files: string[] = [];
      const directories: string[] = [];
      for await (const [name, { kind }] of directory.entries()) {
        const isOurs = segments.length === 0 && name === TEMPORARY_DIRECTORY;
        if (!isOurs) (kind === 'file' ? files : directories).push(name);
      }
      return { files, directories };
    },
  };
}
