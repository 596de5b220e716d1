/**
 * How many readers a large file has. Each starts with one. The number grows fourfold while slices wait for readers, this process has
 * time left, and each reader gets less than a fast network gives: then connections are what limits the file.
 */
import { performance } from 'node:perf_hooks';

/** A file whose readers are counted. */
export interface LeveledFile {
  /** Readers that it has now. */
  readonly readers: number;
  /** Bytes so far. */
  readonly received: number;
  /** More of them could read. */
  readonly hasWork: boolean;
  /** Starts further readers until it has this many, as soon as it can. */
  raise(level: number): void;
}

/** Below this, more readers only take time from others. */
const LEAST_IDLE = 0.3;
/** Bytes per second of one reader, above which connections are not the limit. */
const FAST_BYTES = 100_000_000;
const GROWTH = 4;
/** Of one file, because more connections than this to one origin are impolite. */
const MOST_READERS = 16;
/** Of all files together. */
const MOST_CONNECTIONS = 32;

interface Entry {
  readonly file: LeveledFile;
  receivedBefore: number;
}

export class ReaderLevels {
  readonly #entries = new Set<Entry>();
  /** Connections that read other files. */
  readonly #others: () => number;
  readonly #tickMs: number;
  #timer: NodeJS.Timeout | undefined;
  #before = performance.eventLoopUtilization();

  constructor(tickMs: number, others: () => number) {
    this.#tickMs = tickMs;
    this.#others = others;
  }

  add(file: LeveledFile): Disposable {
    const entry = { file, receivedBefore: file.received };
    this.#entries.add(entry);
    if (this.#entries.size === 1) this.#start();
    return {
      [Symbol.dispose]: () => {
        this.#entries.delete(entry);
        if (this.#entries.size === 0) clearInterval(this.#timer);
      },
    };
  }

  #start(): void {
    this.#before = performance.eventLoopUtilization();
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
  }

  #tick(): void {
    const now = performance.eventLoopUtilization();
    const { utilization, active, idle } = performance.eventLoopUtilization(now, this.#before);
    this.#before = now;
    const isIdle = 1 - utilization > LEAST_IDLE;
    for (const entry of this.#entries) this.#consider(entry, isIdle, active + idle);
  }

  #consider(entry: Entry, isIdle: boolean, spanMs: number): void {
    const { file } = entry;
    const bytes = file.received - entry.receivedBefore;
    entry.receivedBefore = file.received;
    const isSlow = (bytes * 1000) / spanMs < FAST_BYTES * file.readers;
    if (!isIdle || !isSlow || !file.hasWork) return;
    const room = MOST_CONNECTIONS - this.#connections();
    file.raise(Math.min(MOST_READERS, GROWTH * Math.max(1, file.readers), file.readers + room));
  }

  #connections(): number {
    let readers = this.#others();
    for (const { file } of this.#entries) readers += file.readers;
    return readers;
  }
}
