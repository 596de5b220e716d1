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
  /** `ignored`: the store accepts the abort and keeps the upload. */
  aborts: 'work' | 'refused' | 'ignored' = 'work';
  /** Calls of Complete are delayed. */
  holdsComplete = false;
  /** How long an object exists before the store shows it. */
  showsAfterSeconds = 0;
  readonly #pending = new Set<string>();
  readonly #now: () => Date;
  readonly #publishedAt = new Map<string, number>();
  #ids = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  create(attempt: string): string {
    this.#ids += 1;
    const id = `upload-${this.#ids}`;
    this.uploads.set(id, attempt);
    return id;
  }

  abort(attempt: string): void {
    if (this.aborts !== 'work') return;
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
    if (this.isAway || this.holdsComplete) return;
    for (const id of this.#pending) {
      const attempt = this.uploads.get(id);
      if (attempt !== undefined) {
        this.published.push(attempt);
        this.#publishedAt.set(attempt, this.#now().getTime());
      }
      this.uploads.delete(id);
    }
    this.#pending.clear();
  }

  /** Whether HEAD shows the archive of the attempt. */
  shows(attempt: string): boolean {
    const at = this.#publishedAt.get(attempt);
    return at !== undefined && this.#now().getTime() >= at + this.showsAfterSeconds * 1000;
  }

  /** Whether the store still has an upload of the attempt. */
  hasUpload(attempt: string): boolean {
    return [...this.uploads.values()].includes(attempt);
  }

  /** Attempts that may still publish an archive without being active. */
  get armed(): readonly string[] {
    return [...this.#pending].map((id) => this.uploads.get(id)).filter((attempt) => attempt !== undefined);
  }
}
