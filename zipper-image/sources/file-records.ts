interface FileRecord {
  /** Grows each time that it is throttled again although the origin has served others meanwhile. */
  suspicion: number;
  /** Requests of the origin that were served, and throttled, when it was last throttled. */
  counts: { readonly served: number; readonly throttled: number } | undefined;
  refusals: number;
  /** Trials of the origin that were accepted before its last refusal. */
  acceptedBefore: number;
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
 * So often may a file that is itself the reason be the next probe of one pause. The first probe is early, so it says little about
 * the file.
 */
const MOST_PROBES_OF_SUSPECT = 4;
/** So many throttled probes may such files have together before others get one, in case they are never served. */
const MOST_PROBES_OF_SUSPECTS = 12;
/** Below the rank of all others. */
const FIRST = -1;
/** Above any suspicion of a file that is served at last. */
const LAST = 1000;

/**
 * What happened to the files of one origin since each was last served. It decides whether a failure is about the origin, so
 * that it costs the file nothing, or about the file. Nothing is kept of a file that was served.
 */
export class FileRecords {
  readonly #records = new Map<number, FileRecord>();
  /** How often each file was throttled as a probe since the origin started to throttle. */
  readonly #probed = new Map<number, number>();
  #failedProbes = 0;
  #served = 0;
  #throttled = 0;
  #accepted = 0;

  /** The origin has accepted one request more than the limit. */
  accepted(): void {
    this.#accepted += 1;
  }

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

  /** True if the file waits for no other before it is the next probe. */
  probeFailed(index: number): boolean {
    this.#probed.set(index, 1 + this.#probesOf(index));
    this.#failedProbes += 1;
    return this.#isFirst(index);
  }

  /** The origin does not throttle any more. */
  forgetProbes(): void {
    this.#probed.clear();
    this.#failedProbes = 0;
  }

  /**
   * Waiting files with the lowest rank come first. At an origin that serves few requests, a file becomes suspect because others
   * had the better moment, so it gets the next one. The others are probes once each, and then wait for those served meanwhile.
   */
  rankOf(index: number): number {
    if (this.#isFirst(index)) return FIRST;
    return (this.#probed.has(index) ? LAST : 0) + this.#suspicionOf(index);
  }

  #isFirst(index: number): boolean {
    return (
      this.#suspicionOf(index) > MOST_SUSPICION &&
      this.#probesOf(index) < MOST_PROBES_OF_SUSPECT &&
      this.#failedProbes < MOST_PROBES_OF_SUSPECTS
    );
  }

  #probesOf(index: number): number {
    return this.#probed.get(index) ?? 0;
  }

  #suspicionOf(index: number): number {
    return this.#records.get(index)?.suspicion ?? 0;
  }

  refusalsOf(index: number): number {
    return this.#records.get(index)?.refusals ?? 0;
  }

  /** `isFirst`: it was not refused before. `isReason`: it was, and the origin has accepted one request more of another file since. */
  refused(index: number): { readonly isFirst: boolean; readonly isReason: boolean } {
    const record = this.#recordOf(index);
    const isFirst = record.refusals === 0;
    const isReason = !isFirst && record.acceptedBefore < this.#accepted;
    record.refusals += 1;
    record.acceptedBefore = this.#accepted;
    return { isFirst, isReason };
  }

  #recordOf(index: number): FileRecord {
    const known = this.#records.get(index);
    if (known) return known;
    const record = {
      suspicion: 0,
      counts: undefined,
      refusals: 0,
      acceptedBefore: 0,
      suspectAt: undefined,
    };
    this.#records.set(index, record);
    return record;
  }
}
