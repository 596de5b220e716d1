/** Runs one task after another. */
export class Turn {
  #last: Promise<unknown> = Promise.resolve();
  #tasks = 0;

  /** True while a task runs or waits. */
  get isTaken(): boolean {
    return this.#tasks > 0;
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    this.#tasks += 1;
    const next = this.#last.then(task);
    this.#last = next.catch(() => undefined);
    try {
      return await next;
    } finally {
      this.#tasks -= 1;
    }
  }
}
