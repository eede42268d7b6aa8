/** Places of a source by the numbers of their rows, as reading has found them. */
import { BEGINNING, type Place } from './source.ts';

export interface NumberedPlace {
  readonly row: number;
  readonly place: Place;
}

const START: NumberedPlace = { row: 0, place: BEGINNING };

export class Places {
  #places: NumberedPlace[] = [];

  add(found: NumberedPlace): void {
    const at = this.#after(found.row);
    if (this.#places[at - 1]?.row !== found.row) this.#places.splice(at, 0, found);
  }

  /** The last place at or before a row. */
  before(row: number): NumberedPlace {
    return this.#places[this.#after(row) - 1] ?? START;
  }

  clear(): void {
    this.#places = [];
  }

  /** Position of the first place after a row. */
  #after(row: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#places[middle]!.row <= row) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
