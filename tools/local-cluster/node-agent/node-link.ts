/** Whether the node can reach the API server. While it cannot, its processes continue and its reports wait here. */
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

  /** Resolves immediately if the node is connected. */
  restored(): Promise<void> {
    return this.#restored.promise;
  }
}
