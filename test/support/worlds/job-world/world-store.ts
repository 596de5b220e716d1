/** What the store reports about the object of an attempt. */
export type WorldObject = 'ours' | 'other' | 'denied';

interface WorldUpload {
  readonly attempt: string;
  readonly startedAt: number;
}

/**
 * The state of one key in a bucket: uploads, pending calls of Complete, and attempts whose archives were
 * published. A Complete has two steps: it is taken, which removes the upload, and its object shows.
 */
export class WorldStore {
  readonly uploads = new Map<string, WorldUpload>();
  /** Attempts whose state the store reported to recovery. */
  readonly responded = new Set<string>();
  /** No request arrives, and none is answered. */
  isDown = false;
  /** The same until this time, as while a load balancer is reloaded. */
  awayUntil: Date | undefined;
  /** The credentials may not read objects. */
  isReadDenied = false;
  /** `ignored`: the store accepts the abort and keeps the upload. */
  aborts: 'work' | 'refused' | 'ignored' = 'work';
  /** Calls of Complete are delayed. */
  holdsComplete = false;
  /** How long the store assembles an archive that it has taken. */
  assemblySeconds = 0;
  /** How long an object exists before the store shows it. */
  showsAfterSeconds = 0;
  readonly #pending = new Set<string>();
  readonly #now: () => Date;
  /** When the archive of an attempt is assembled. */
  readonly #assembledAt = new Map<string, number>();
  #ids = 0;

  constructor(now: () => Date) {
    this.#now = now;
  }

  get isAway(): boolean {
    return this.isDown || (this.awayUntil !== undefined && this.#now() < this.awayUntil);
  }

  /** Attempts whose archive exists. */
  get published(): readonly string[] {
    return [...this.#assembledAt.keys()].filter((attempt) => !this.#isAssembling(attempt));
  }

  create(attempt: string): string {
    this.#ids += 1;
    const id = `upload-${this.#ids}`;
    this.uploads.set(id, { attempt, startedAt: this.#now().getTime() });
    return id;
  }

  /** The response to the abort of one upload. */
  abort(id: string): 'accepted' | 'gone' | 'refused' {
    if (this.aborts === 'refused') return 'refused';
    if (!this.uploads.has(id)) return 'gone';
    if (this.aborts === 'work') this.uploads.delete(id);
    return 'accepted';
  }

  sendComplete(id: string): void {
    this.#pending.add(id);
  }

  /** A rule of the bucket removes every upload. */
  forget(): void {
    this.uploads.clear();
  }

  /** True until the store has taken, or refused, the Complete. */
  isPending(id: string): boolean {
    return this.#pending.has(id);
  }

  /** Every pending Complete arrives. It takes its upload, or fails if the upload no longer exists. */
  arrive(): void {
    if (this.isAway || this.holdsComplete) return;
    for (const id of this.#pending) {
      const upload = this.uploads.get(id);
      if (upload) this.#assembledAt.set(upload.attempt, this.#now().getTime() + this.assemblySeconds * 1000);
      this.uploads.delete(id);
    }
    this.#pending.clear();
  }

  /** What HEAD reports to an attempt or its recovery. */
  object(attempt: string): WorldObject {
    if (this.isReadDenied) return 'denied';
    const at = this.#assembledAt.get(attempt);
    return at !== undefined && this.#now().getTime() >= at + this.showsAfterSeconds * 1000 ? 'ours' : 'other';
  }

  /** Attempts that may still publish an archive without being active. */
  get armed(): readonly string[] {
    const pending = [...this.#pending].map((id) => this.uploads.get(id)?.attempt);
    const assembling = [...this.#assembledAt.keys()].filter((attempt) => this.#isAssembling(attempt));
    return [...pending.filter((attempt) => attempt !== undefined), ...assembling];
  }

  /** The next times at which something changes by itself. */
  get timers(): readonly Date[] {
    const shownMs = this.showsAfterSeconds * 1000;
    const ofArchives = [...this.#assembledAt.values()].flatMap((at) => [
      new Date(at),
      new Date(at + shownMs),
    ]);
    return [...ofArchives, ...(this.awayUntil ? [this.awayUntil] : [])].filter((time) => time > this.#now());
  }

  #isAssembling(attempt: string): boolean {
    return (this.#assembledAt.get(attempt) ?? 0) > this.#now().getTime();
  }
}
