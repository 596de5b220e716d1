/**
 * The state of one key in a bucket: uploads, pending calls of Complete, and attempts whose archives were
 * published.
 */
export class WorldStore {
  /** Attempt by upload. */
  readonly uploads = new Map<string, string>();
  readonly published: string[] = [];
  /** Attempts whose state the store reported to recovery. */
  readonly responded = new Set<string>();
  /** No request arrives, and none is answered. */
  isAway = false;
  /** The credentials may not read objects. */
  isReadDenied = false;
  readonly #pending = new Set<string>();
  #ids = 0;

  create(attempt: string): string {
    this.#ids += 1;
    const id = `upload-${this.#ids}`;
    this.uploads.set(id, attempt);
    return id;
  }

  abort(attempt: string): void {
    for (const [id, owner] of this.uploads) if (owner === attempt) this.uploads.delete(id);
  }

  sendComplete(id: string): void {
    this.#pending.add(id);
  }

  /** A rule of the bucket removes every upload. */
  forget(): void {
    this.uploads.clear();
  }

  /** True until the response to Complete. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Every pending Complete arrives. It completes its upload, or fails if the upload no longer exists. */
  arrive(): void {
    if (this.isAway) return;
    for (const id of this.#pending) {
      const attempt = this.uploads.get(id);
      if (attempt !== undefined) this.published.push(attempt);
      this.uploads.delete(id);
    }
    this.#pending.clear();
  }

  /** Attempts that may still publish an archive without being active. */
  get armed(): readonly string[] {
    return [...this.#pending].map((id) => this.uploads.get(id)).filter((attempt) => attempt !== undefined);
  }
}
