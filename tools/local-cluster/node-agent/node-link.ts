/** Whether the node reaches the API server. A lost node's processes go on; what it has to say waits here. */
export class NodeLink {
  #restored = Promise.withResolvers<void>();
  #up = false;

  get up(): boolean {
    return this.#up;
  }

  cut(): void {
    if (this.#up) this.#restored = Promise.withResolvers<void>();
    this.#up = false;
  }

  restore(): void {
    this.#up = true;
    this.#restored.resolve();
  }

  /** Resolves at once while the link is up. */
  restored(): Promise<void> {
    return this.#restored.promise;
  }
}
