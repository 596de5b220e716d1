/**
 * Several readers of one large file. The first one reads the response that has the whole file, from its first byte on. Further ones
 * read one slice after another by exact ranges, each time the first one that nobody has. A range counts only if the source confirms
 * that it is of the same file. Until it has confirmed one, there is no other, and it is that of the last slice: if the first reader
 * arrives there before, the file keeps one reader, because some sources serve one request at a time. So does a file whose first range
 * gets another response; a failure that may pass does not count until its third time. Later, the first reader ends at the first slice
 * that another one has.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type AppError, toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { backoffMs, retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import type { OpenSlice, SliceTarget } from '../byte-sink.ts';
import type { SourceFile } from './bucket-source.ts';
import { type DownloadDeps, download, type SourceSink } from './download.ts';
import type { LeveledFile, ReaderLevels } from './reader-levels.ts';
import { releaseReceived } from './received-memory.ts';
import type { ResumePoint } from './response-head.ts';
import type { SourceSettings } from './settings.ts';
import { SourceError } from './source-error.ts';
import { describeFailure, sourceRetryPolicy } from './source-retry.ts';

export interface RangedFile {
  readonly index: number;
  readonly file: SourceFile;
  /** What every range must have in common with the response of the first reader. */
  readonly same: Omit<ResumePoint, 'from' | 'to'>;
  /** The source has confirmed a range: the file can do without its first reader. */
  readonly onConfirmed: () => void;
  /** Ends the response of the first reader. */
  readonly endFirst: () => void;
  /** The source has confirmed a range before, so there is no first reader. */
  readonly isConfirmed?: boolean;
}

export interface RangeReadersDeps {
  readonly download: DownloadDeps;
  readonly settings: SourceSettings;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly levels: ReaderLevels;
  readonly onBytes: (count: number) => void;
  /** A range must wait for a connection, while its slice holds up the archive. */
  readonly onQueued: (origin: string) => () => void;
  readonly onRetry: (error: unknown) => void;
}

/** How often the first range is requested, if its failures say nothing about ranges. */
const MOST_PROBES = 3;

/** True for a failure that another request may not have, such as status 500. The gate repeats what it takes on itself. */
function saysNothing(error: unknown): boolean {
  return error instanceof SourceError && error.retryable && !error.voidsReceived;
}

/** `unknown`: no range was requested yet, or the first one is under way. */
type Ranges = 'unknown' | 'confirmed' | 'refused';

class RangeReaders implements LeveledFile {
  readonly #of: RangedFile;
  readonly #deps: RangeReadersDeps;
  readonly #target: SliceTarget;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #complete = Promise.withResolvers<void>();
  readonly #running = new Set<Promise<void>>();
  #ranges: Ranges = 'unknown';
  /** How often the first range was requested. */
  #probes = 0;
  /** Readers that the file should have once its ranges are confirmed. */
  #wanted = 1;
  /** Of the first range, until it is confirmed. */
  #probe: AbortController | undefined;
  /** The first range waits for a connection. */
  #isProbeQueued = false;
  received = 0;

  constructor(of: RangedFile, target: SliceTarget, deps: RangeReadersDeps) {
    this.#of = of;
    this.#target = target;
    this.#deps = deps;
    this.#signal = AbortSignal.any([deps.signal, this.#stop.signal]);
    if (of.isConfirmed === true) this.#ranges = 'confirmed';
  }

  get readers(): number {
    return this.#running.size;
  }

  get hasWork(): boolean {
    return this.#target.hasFree;
  }

  async run(body: AsyncIterable<Uint8Array>): Promise<void> {
    using _ = this.#deps.levels.add(this);
    const { signal } = this.#deps;
    this.#signal.addEventListener('abort', () => this.#target.wake(), { once: true });
    const onAbort = (): void => this.#complete.reject(toError(signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    if (this.#ranges === 'confirmed') this.raise(1);
    else this.#start(this.#readFirst(body));
    try {
      await this.#complete.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#stop.abort(new DOMException('the file is complete', 'AbortError'));
      this.#of.endFirst();
      await Promise.all(this.#running);
    }
  }

  raise(level: number): void {
    this.#wanted = level;
    const most = Math.min(level, this.#most);
    while (this.readers < most) this.#start(this.#readSlices());
  }

  get #most(): number {
    if (this.#ranges === 'confirmed') return Infinity;
    return this.#ranges === 'unknown' ? 2 : 1;
  }

  #start(reader: Promise<void>): void {
    const ended = reader
      .catch((error: unknown) => this.#complete.reject(toError(error)))
      .then(() => {
        this.#running.delete(ended);
        if (this.#target.isComplete) this.#complete.resolve();
      });
    this.#running.add(ended);
  }

  async #readFirst(body: AsyncIterable<Uint8Array>): Promise<void> {
    const reading: { slice?: OpenSlice | undefined } = {};
    try {
      await this.#readInOrder(body, reading);
    } catch (error) {
      if (this.#ranges !== 'confirmed') throw error;
      if (reading.slice) this.#target.giveBack(reading.slice);
      this.raise(2);
    }
  }

  async #readInOrder(
    body: AsyncIterable<Uint8Array>,
    reading: { slice?: OpenSlice | undefined },
  ): Promise<void> {
    let position = 0;
    for await (const chunk of body) {
      for (let at = 0; at < chunk.length; ) {
        const next = reading.slice ?? (await this.#sliceAt(position));
        if (next === undefined) return;
        const isSkipped = typeof next === 'number';
        const bytes = isSkipped ? Math.min(next - position, chunk.length - at) : next.write(chunk, at);
        reading.slice = isSkipped || next.isFull ? undefined : next;
        at += bytes;
        position += bytes;
        this.received += bytes;
      }
    }
  }

  /** For the first reader; undefined if others have the rest, and a position if the bytes before it are not wanted. */
  async #sliceAt(position: number): Promise<OpenSlice | number | undefined> {
    for (;;) {
      const wanted = this.#target.skippedTo(position);
      if (wanted > position) return this.#ranges === 'confirmed' ? undefined : wanted;
      const slice = this.#target.takeAt(position);
      if (slice) return slice;
      if (this.#target.isTaken(position)) {
        if (this.#ranges === 'confirmed') return undefined;
        this.#probe?.abort(new DOMException('the first reader has arrived', 'AbortError'));
      }
      await this.#target.changed();
      this.#signal.throwIfAborted();
    }
  }

  async #readSlices(): Promise<void> {
    while (!this.#target.isComplete && !this.#signal.aborted && this.#ranges !== 'refused') {
      const slice = this.#ranges === 'confirmed' ? this.#target.take() : this.#target.takeLast();
      if (!slice) await this.#target.changed();
      else if (!(await this.#readSlice(slice))) return;
    }
  }

  /** False if the first reader came before the request for the first range was sent: another reader asks again. */
  async #readSlice(slice: OpenSlice): Promise<boolean> {
    const limit = new RetryLimit(this.#deps.settings.sourceRetryLimitMs);
    let furthest = slice.position;
    let from = furthest;
    const mayRepeat = (error: AppError): boolean => {
      // Bytes of a response that turns out to be invalid may be wrong, and they are in their place.
      const isRefuted = error instanceof SourceError && error.voidsReceived && slice.position > from;
      return this.#ranges === 'confirmed' && !isRefuted;
    };
    try {
      await retry(
        () => {
          from = slice.position;
          return this.#get(slice, limit);
        },
        {
          ...sourceRetryPolicy(this.#deps.settings, limit, mayRepeat),
          gotFurther: () => {
            const isFurther = slice.position > furthest;
            furthest = slice.position;
            return isFurther;
          },
          onRetry: (error, tries, delayMs) => this.#onRetry(error, { tries, delayMs, from: slice.position }),
        },
        this.#signal,
      );
    } catch (error) {
      // All bytes are there, whatever came behind them.
      if (this.#signal.aborted || slice.isFull) return true;
      if (this.#ranges === 'confirmed') throw error;
      return this.#probeFailed(slice, error);
    }
    return true;
  }

  /** The first reader is still there, so that nothing is lost. */
  async #probeFailed(slice: OpenSlice, error: unknown): Promise<boolean> {
    const wasSent = !this.#isProbeQueued;
    if (wasSent) this.#probes += 1;
    const isRepeated = wasSent && this.#probes < MOST_PROBES && saysNothing(error);
    if (wasSent && !isRepeated) this.#refuse(error);
    this.#target.giveBack(slice);
    if (isRepeated) await this.#pause(slice, error);
    return wasSent;
  }

  async #pause({ position: from }: OpenSlice, error: unknown): Promise<void> {
    const { sourceRetryBaseMs: baseDelayMs, sourceRetryMaxMs: maxDelayMs } = this.#deps.settings;
    const tries = this.#probes;
    const delayMs = backoffMs({ baseDelayMs, maxDelayMs }, tries);
    this.#onRetry(error, { tries, delayMs, from });
    await delay(delayMs, undefined, { signal: this.#signal }).catch(() => undefined);
  }

  #refuse(error: unknown): void {
    const { index: fileIndex } = this.#of;
    this.#deps.log.info({ ...describeFailure(error), fileIndex }, 'the source sends no ranges of the file');
    this.#ranges = 'refused';
  }

  #get(slice: OpenSlice, limit: RetryLimit): Promise<void> {
    if (slice.isFull) return Promise.resolve();
    const { index, file, same } = this.#of;
    const sink: SourceSink = {
      start: () => undefined,
      continue: () => {
        this.#confirm();
      },
      write: (chunk) => {
        slice.write(chunk, 0);
        releaseReceived(chunk);
        this.received += chunk.length;
        this.#deps.onBytes(chunk.length);
      },
    };
    const resume = { ...same, from: slice.position, to: slice.to };
    const signal = this.#ranges === 'confirmed' ? this.#signal : this.#startProbe();
    const onQueued = this.#ranges === 'confirmed' ? this.#deps.onQueued : this.#onProbeQueued;
    return download({ ...file, index, sink, signal, limit, resume, onQueued }, this.#deps.download);
  }

  #confirm(): void {
    this.#of.onConfirmed();
    if (this.#ranges === 'confirmed') return;
    this.#ranges = 'confirmed';
    this.#probe = undefined;
    this.raise(this.#wanted);
    this.#target.wake();
  }

  readonly #onProbeQueued = (origin: string): (() => void) => {
    const end = this.#deps.onQueued(origin);
    this.#isProbeQueued = true;
    return () => {
      // Also when the first reader has ended the wait: the request was not sent.
      this.#isProbeQueued = this.#probe?.signal.aborted === true;
      end();
    };
  };

  #startProbe(): AbortSignal {
    this.#isProbeQueued = false;
    this.#probe = new AbortController();
    return AbortSignal.any([this.#signal, this.#probe.signal]);
  }

  #onRetry(error: unknown, facts: Readonly<Record<string, number>>): void {
    const { index: fileIndex } = this.#of;
    this.#deps.log.warn({ ...describeFailure(error), fileIndex, ...facts }, 'retrying a range of a source');
    this.#deps.onRetry(error);
  }
}

/**
 * Fills all slices of a file. `body`: what the first reader receives.
 * @throws SourceError, or the reason of the signal
 */
export function fillByRanges(
  of: RangedFile,
  { target, body }: { readonly target: SliceTarget; readonly body: AsyncIterable<Uint8Array> },
  deps: RangeReadersDeps,
): Promise<void> {
  return new RangeReaders(of, target, deps).run(body);
}
