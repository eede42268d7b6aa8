/** Where an exported file goes: a place that the person chose, or a blob. */

export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
  /** @returns the blob; nothing where the file lies in its place. */
  close(): Promise<Blob | undefined>;
  /** Leaves nothing behind. */
  abort(): Promise<void>;
}

/** Chunks become blobs, which a browser can keep on disk. */
export function blobSink(type: string): Sink {
  let parts: Blob[] = [];
  return {
    write: async (bytes) => {
      parts.push(new Blob([bytes as Uint8Array<ArrayBuffer>]));
    },
    close: async () => new Blob(parts, { type }),
    abort: async () => {
      parts = [];
    },
  };
}

/** The file is replaced when all is written. */
export async function fileSink(file: FileSystemFileHandle): Promise<Sink> {
  const stream = await file.createWritable();
  return {
    write: (bytes) => stream.write(bytes as Uint8Array<ArrayBuffer>),
    close: async () => {
      await stream.close();
      return undefined;
    },
    abort: () => stream.abort(),
  };
}
