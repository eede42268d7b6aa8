/**
 * Scrolling over more rows than a browser lets an element be high. The element is as high as it may be; where it then
 * has fewer pixels than the rows, small movements move by pixels of the rows and large ones, such as of the scroll
 * bar's thumb, in proportion.
 */

/** Browsers cut elements off above 17 million pixels, and place things to the pixel only below half of that. */
export const MAX_HEIGHT = 8_000_000;

export class ScaledScroll {
  /** Pixels of the rows above the view. */
  offset = 0;
  /** Where the element is scrolled to. */
  top = 0;
  #content = 0;
  #view = 0;
  readonly #maxHeight: number;

  constructor(maxHeight = MAX_HEIGHT) {
    this.#maxHeight = maxHeight;
  }

  /** @param content pixels of all rows. @param view pixels of them that are seen. */
  layOut(content: number, view: number): void {
    this.#content = content;
    this.#view = view;
    this.offset = Math.min(this.offset, this.#maxOffset);
  }

  /** Of the element that holds the rows. */
  get height(): number {
    return Math.min(this.#content, this.#maxHeight);
  }

  get isScaled(): boolean {
    return this.#content > this.#maxHeight;
  }

  /** The element was scrolled. @returns whether the rows move. */
  scrolled(top: number): boolean {
    const moved = top - this.top;
    if (moved === 0) return false;
    this.top = top;
    const isSmall = Math.abs(moved) <= 2 * this.#view;
    const isAtEnd = top <= 0 || top >= this.#maxTop - 1;
    this.#moveTo(this.isScaled && isSmall && !isAtEnd ? this.offset + moved : top * this.#scale);
    return true;
  }

  /** Moves the rows. @returns where the element is to be scrolled to; tell {@link settle} where it then is. */
  moveTo(offset: number): number {
    this.#moveTo(offset);
    return this.offset / this.#scale;
  }

  settle(top: number): void {
    this.top = top;
  }

  get #maxOffset(): number {
    return Math.max(0, this.#content - this.#view);
  }

  get #maxTop(): number {
    return Math.max(0, this.height - this.#view);
  }

  get #scale(): number {
    return this.#maxTop === 0 ? 1 : this.#maxOffset / this.#maxTop;
  }

  #moveTo(offset: number): void {
    this.offset = Math.min(Math.max(offset, 0), this.#maxOffset);
  }
}
