/** A bound on how long an answer may take. */
export class Moment {
  readonly #end: number;

  constructor(ms: number) {
    this.#end = performance.now() + ms;
  }

  get left(): number {
    return Math.max(0, this.#end - performance.now());
  }

  get isOver(): boolean {
    return this.left === 0;
  }
}

/** What a promise gives within the moment; undefined where it takes longer, and goes on. */
export async function within<T>(promise: Promise<T>, moment: Moment): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, moment.left, undefined);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
