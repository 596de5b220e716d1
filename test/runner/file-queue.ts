/** For a file without a measured duration: it runs early. */
const UNKNOWN_SECONDS = 60;

/** The test files that are still to be run, the longest first, so that no long file runs alone at the end. */
export class FileQueue {
  readonly #files: { readonly suite: string; readonly file: string; readonly seconds: number }[];

  /** @param secondsOf - Expected duration of a file; undefined if it was never measured. */
  constructor(
    files: readonly { readonly suite: string; readonly file: string }[],
    secondsOf: (file: string) => number | undefined,
  ) {
    this.#files = files
      .map(({ suite, file }) => ({ suite, file, seconds: secondsOf(file) ?? UNKNOWN_SECONDS }))
      .sort((a, b) => b.seconds - a.seconds);
  }

  take(suite: string): string | undefined {
    const index = this.#files.findIndex((one) => one.suite === suite);
    return index === -1 ? undefined : this.#files.splice(index, 1)[0]?.file;
  }

  has(suite: string): boolean {
    return this.#files.some((one) => one.suite === suite);
  }

  get left(): number {
    return this.#files.length;
  }

  /** Expected seconds for the rest of a suite in one process. */
  secondsLeft(suite: string): number {
    return this.#files.filter((one) => one.suite === suite).reduce((sum, one) => sum + one.seconds, 0);
  }
}
