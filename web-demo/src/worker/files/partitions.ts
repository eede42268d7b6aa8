/** Which partition each file is in. */

export class Partitions {
  /** Of the partition columns, in their order. */
  readonly #keys: readonly string[];
  readonly #ids = new Map<string, number>();
  readonly #values: (string | null)[][] = [];
  readonly #ofFile: number[] = [];

  /** @param keys what `partitionValues` calls the partition columns. */
  constructor(keys: readonly string[]) {
    this.#keys = keys;
  }

  /** The next file. */
  add(partitionValues: Readonly<Record<string, string | null>>): void {
    // An empty text is no value (`PROTOCOL.md`, "Partition Value Serialization").
    const values = this.#keys.map((key) => partitionValues[key] || null);
    const key = JSON.stringify(values);
    let id = this.#ids.get(key);
    if (id === undefined) {
      id = this.#values.length;
      this.#ids.set(key, id);
      this.#values.push(values);
    }
    this.#ofFile.push(id);
  }

  get count(): number {
    return this.#keys.length === 0 ? 0 : this.#values.length;
  }

  /** Every id is below this; without partition columns all files are in one. */
  get ids(): number {
    return this.#values.length;
  }

  /** Undefined for values that no file has. */
  find(values: readonly (string | null)[]): number | undefined {
    return this.#ids.get(JSON.stringify(values));
  }

  idOf(file: number): number {
    return this.#ofFile[file]!;
  }

  valuesOf(file: number): (string | null)[] {
    return this.values(this.idOf(file));
  }

  values(id: number): (string | null)[] {
    return this.#values[id]!;
  }
}
