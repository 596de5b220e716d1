interface FileRecord {
  /** Grows each time that it is throttled again although the origin has served others meanwhile. */
  suspicion: number;
  /** Requests of the origin that were served, and throttled, when it was last throttled. */
  counts: { readonly served: number; readonly throttled: number } | undefined;
  wasRefused: boolean;
  /** When it became the reason itself. */
  suspectAt: number | undefined;
}

/** Above this, the file is itself the reason. Hosts that serve few requests at a time, or many clients, cause some suspicion. */
const MOST_SUSPICION = 8;
/** All others were served. */
const STRONG = 3;
/** Some others were throttled as well. */
const WEAK = 1;

/**
 * What happened to the files of one origin since each was last served. It decides whether a failure is about the origin, so
 * that it costs the file nothing, or about the file. Nothing is kept of a file that was served.
 */
export class FileRecords {
  readonly #records = new Map<number, FileRecord>();
  #served = 0;
  #throttled = 0;

  served(index: number): void {
    this.#served += 1;
    this.#records.delete(index);
  }

  /** Undefined if the origin is the reason. Otherwise the time, in milliseconds, since the file was found to be it. */
  throttled(index: number, now: number): number | undefined {
    const record = this.#recordOf(index);
    const { counts } = record;
    if (counts && counts.served < this.#served)
      record.suspicion += counts.throttled === this.#throttled ? STRONG : WEAK;
    this.#throttled += 1;
    record.counts = { served: this.#served, throttled: this.#throttled };
    if (record.suspicion <= MOST_SUSPICION) return undefined;
    record.suspectAt ??= now;
    return now - record.suspectAt;
  }

  suspicionOf(index: number): number {
    return this.#records.get(index)?.suspicion ?? 0;
  }

  /** True if this is its first refusal. */
  refused(index: number): boolean {
    const record = this.#recordOf(index);
    const isFirst = !record.wasRefused;
    record.wasRefused = true;
    return isFirst;
  }

  #recordOf(index: number): FileRecord {
    const known = this.#records.get(index);
    if (known) return known;
    const record = { suspicion: 0, counts: undefined, wasRefused: false, suspectAt: undefined };
    this.#records.set(index, record);
    return record;
  }
}
