/** Lets one task wait until there is work. */
export class Wake {
  #resolve: (() => void) | undefined;

  /** Ends the wait, if there is one. */
  call(): void {
    this.#resolve?.();
  }

  /** Resolves at the next call, or when the signal aborts. */
  async wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resolve = resolve;
    function end(): void {
      resolve();
    }
    signal.addEventListener('abort', end);
    if (!signal.aborted) await promise;
    signal.removeEventListener('abort', end);
    this.#resolve = undefined;
  }
}
