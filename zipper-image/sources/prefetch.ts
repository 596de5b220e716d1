import { toError } from '#runtime/errors.ts';
import type { FillSlices } from '../byte-sink.ts';
import { BlockPool } from './block-pool.ts';
import { continuedEntry, keptBytesOf } from './continued-source.ts';
import { createDownloadDeps, type FetchDeps, fetchSource } from './fetch-source.ts';
import { createKnownSources, isTooMany, toSourceFailure } from './known-sources.ts';
import { MemoryBudget } from './memory-budget.ts';
import { fillByRanges, type RangeReadersDeps } from './range-readers.ts';
import { ReaderLevels } from './reader-levels.ts';
import { checkSources } from './source-check.ts';
import { SourceError } from './source-error.ts';
import { type SlotOwner, SourceSlot } from './source-slot.ts';
import type { SourceEntry, SourceReader, SourceReaderDeps } from './types.ts';

/** Maximum number of early downloads without memory. More of them mean that the sources are large. */
const MOST_SET_ASIDE = 4;
/**
 * How long the first bytes of a large file may hold up those behind it. Without them, each file that waits for memory would keep
 * more received bytes.
 */
const FIRST_BYTES_MS = 20;
/** Maximum distance of finished small downloads from the consumer, in multiples of the concurrency. */
const READ_AHEAD = 8;

/**
 * Downloads run ahead of the consumer, in order. The consumer reads several at a time: those that it has were handed on, and
 * continue without a reserve, because it reads their bytes as they arrive. The front is the first unfinished download that was
 * not. It has reserved memory, so it can always continue, and everything before it can be handed on. Early downloads
 * (behind the front) share the rest: each takes the memory for its declared length, or grows in steps, and is parked
 * without memory.
 */
class Prefetch implements SourceReader, SlotOwner, AsyncDisposable {
  readonly #deps: SourceReaderDeps;
  readonly #fetchDeps: FetchDeps;
  readonly #rangeDeps: RangeReadersDeps;
  readonly #budget: MemoryBudget;
  readonly pool: BlockPool;
  readonly known = createKnownSources();
  bytesRead = 0;
  readonly bytesKept: number;
  retries = 0;
  readonly #slots = new Map<number, SourceSlot>();
  readonly #setAside = new Set<SourceSlot>();
  readonly #runs = new Set<Promise<void>>();
  readonly #onAbort = (): void => this.#stop(toError(this.#deps.signal.reason));
  readonly #noLongerRead = new DOMException('reading of the sources ended', 'AbortError');
  readonly #ended = new AbortController();
  #stopped: Error | undefined;
  /** Of the first file that failed, and ended the reading of all. */
  #failure: Error | undefined;
  /** Handed on, and not consumed. */
  readonly #reading = new Set<SourceSlot>();
  /** Waiting requests for files that are read, by origin. */
  readonly #queued = new Map<string, number>();
  /** Downloads that were ended to yield their connections, and still have them, with their origins. */
  readonly #yielding = new Map<AbortController, string>();
  /** Files that are filled by ranges. */
  #filling = 0;
  #allRead = Promise.withResolvers<void>();
  #next = 0;
  #front = 0;
  #handedOn = 0;
  #lastUseful: number;

  constructor(deps: SourceReaderDeps) {
    const { settings } = deps;
    this.#deps = deps;
    this.#budget = new MemoryBudget(settings.sourceBufferBytes, settings.sourceConcurrency);
    this.pool = new BlockPool(settings.sourceBufferBytes);
    this.#lastUseful = deps.files.length - 1;
    this.bytesKept = keptBytesOf(deps.continued ?? new Map(), this.known);
    this.bytesRead = this.bytesKept;
    this.#fetchDeps = {
      ...deps,
      download: createDownloadDeps(deps),
      onRestart: (slot) => {
        if (!slot.ahead) this.#budget.charge(slot, 0);
      },
      onRetry: (error) => {
        this.retries += 1;
        this.#noteFailure(error);
      },
      onRepeated: (bytes) => {
        this.bytesRead += bytes;
      },
      onQueued: (origin) => this.#queue(origin),
    };
    this.#rangeDeps = {
      ...deps,
      signal: this.#ended.signal,
      download: this.#fetchDeps.download,
      levels: new ReaderLevels(settings.sourceReadersTickMs, () => this.#runs.size - this.#reading.size),
      onBytes: (count) => {
        this.bytesRead += count;
      },
      onRetry: this.#fetchDeps.onRetry,
      onQueued: this.#fetchDeps.onQueued,
    };
    deps.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (deps.signal.aborted) this.#onAbort();
  }

  /** Buffered bytes, for tests and metrics. */
  get bytesHeld(): number {
    return [...this.#slots.values()].reduce((sum, slot) => sum + slot.buffered, 0);
  }

  async *entries(): AsyncGenerator<SourceEntry> {
    try {
      for (let index = 0; index < this.#deps.files.length; index += 1) {
        yield await this.#entry(index);
        if (this.#deps.sequential === true) await this.#untilRead();
      }
      await this.#untilRead();
    } finally {
      this.#stop(this.#failure ?? this.#noLongerRead);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop(this.#noLongerRead);
    await Promise.all(this.#runs);
  }

  async #entry(index: number): Promise<SourceEntry> {
    this.#pump();
    const continued = this.#continue(index);
    if (continued) return continued;
    const slot = this.#slots.get(index) ?? this.#addSlot(index);
    // Most small files arrived before, and need no timer.
    if (!slot.decided && !slot.error) await this.#untilDecided(slot);
    slot.throwIfFailed();
    const entry = slot.toEntry();
    this.#handedOn = index + 1;
    this.#reading.add(slot);
    if (entry.small ?? entry.failure) this.consumed(slot);
    this.#pump();
    this.#resumeReading(slot);
    return entry;
  }

  /** A file of an earlier pod needs no slot. */
  #continue(index: number): SourceEntry | undefined {
    const { files, continued } = this.#deps;
    const [file, found] = [files[index], continued?.get(index)];
    if (!file || !found) return undefined;
    if (this.#stopped) throw this.#stopped;
    this.#handedOn = index + 1;
    if (found.kind === 'repeated') this.bytesRead += found.body.length;
    return continuedEntry(
      { index, file, continued: found },
      (of) => (target, body) => this.#untilFilled(fillByRanges(of, { target, body }, this.#rangeDeps)),
    );
  }

  #isContinued(index: number): boolean {
    return this.#deps.continued?.has(index) === true;
  }

  async #untilDecided(slot: SourceSlot): Promise<void> {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      slot.wake();
    }, FIRST_BYTES_MS);
    // What may be left out is known to be a file when its first bytes are there.
    const mayHandOn = (): boolean => isLate && slot.isLarge && this.#deps.reportFailures !== true;
    try {
      while (!slot.decided && !slot.error && !mayHandOn()) {
        if (this.#stopped) throw this.#stopped;
        await slot.changed();
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when the consumer has read all that was handed on. @throws the error of the first one that failed */
  async #untilRead(): Promise<void> {
    while (this.#reading.size + this.#filling > 0) {
      await this.#allRead.promise;
      if (this.#stopped) throw this.#stopped;
    }
  }

  checkOthers(signal: AbortSignal): Promise<void> {
    const { known } = this;
    return checkSources({ ...this.#deps, known, download: this.#fetchDeps.download, signal });
  }

  #noteFailure(error: unknown): void {
    if (error instanceof SourceError && !isTooMany(error)) this.known.failed(toSourceFailure(error));
  }

  headArrived(slot: SourceSlot): void {
    this.known.good(slot.index, slot.head?.declaredLength);
    if (!slot.ahead) return;
    const length = slot.head?.declaredLength;
    if (length === undefined) return;
    if (!this.#budget.reserve(slot, length)) this.#park(slot);
  }

  resumed({ index, head }: SourceSlot): void {
    this.known.good(index, head?.declaredLength);
  }

  bytesArrived(slot: SourceSlot, count: number): void {
    this.bytesRead += count;
    const { buffered } = slot;
    if (slot.ahead) {
      if (buffered <= slot.charge || this.#budget.reserve(slot, buffered + this.#budget.stepBytes)) return;
      this.#budget.charge(slot, buffered);
      this.#park(slot);
      return;
    }
    this.#budget.charge(slot, buffered);
    if (buffered < this.#mostBuffered(slot) && !this.#budget.isFull) return;
    slot.pause();
    if (this.#queued.size > 0) setImmediate(() => this.#yieldConnections(originOf(slot)));
  }

  bytesTaken(slot: SourceSlot): void {
    this.#budget.charge(slot, slot.buffered);
    this.#resumeReading(slot);
    this.#pump();
  }

  consumed(slot: SourceSlot): void {
    if (!this.#reading.delete(slot)) return;
    this.#release(slot);
    this.#wakeReader();
  }

  fillOf(slot: SourceSlot): FillSlices | undefined {
    const { index, file, head } = slot;
    const { declaredLength: total = 0, etag, lastModifiedText, validator, contentEncoding } = head ?? {};
    if (
      this.#deps.sequential === true ||
      total < this.#deps.settings.sourceRangedBytes ||
      validator === undefined
    )
      return undefined;
    const same = { total, etag, lastModifiedText, validator, contentEncoding };
    const onConfirmed = (): void => {
      slot.isReplaceable = true;
      this.known.good(index, total);
    };
    const of = { index, file, same, onConfirmed, endFirst: () => this.consumed(slot) };
    return (target, body) => this.#untilFilled(fillByRanges(of, { target, body }, this.#rangeDeps));
  }

  async #untilFilled(filling: Promise<void>): Promise<void> {
    this.#filling += 1;
    try {
      await filling;
    } finally {
      this.#filling -= 1;
      this.#wakeReader();
    }
  }

  #wakeReader(): void {
    this.#allRead.resolve();
    this.#allRead = Promise.withResolvers();
  }

  /** One without bytes continues whatever the others hold. */
  #resumeReading(slot: SourceSlot): void {
    if (!slot.paused || !this.#reading.has(slot)) return;
    if (slot.buffered === 0 || (slot.buffered <= this.#mostBuffered(slot) / 2 && !this.#budget.isFull))
      slot.resume();
  }

  #mostBuffered({ handedOn }: SourceSlot): number {
    return handedOn ? this.#budget.readBytes : this.#budget.frontBytes;
  }

  #resumeFront(): void {
    const front = this.#slots.get(this.#front);
    if (!front?.paused || front.ahead) return;
    if (front.buffered <= this.#budget.frontBytes / 2 && !this.#budget.isFull) front.resume();
  }

  /** Starts as many downloads as memory and concurrency allow, the earliest first. */
  #pump(): void {
    if (this.#stopped) return;
    this.#moveFront();
    this.#resumeFront();
    for (const slot of this.#setAside) if (slot.state === 'parked') this.#tryUnpark(slot);
    this.#skipContinued();
    while (this.#mayStartNext()) {
      const slot = this.#slots.get(this.#next) ?? this.#addSlot(this.#next);
      this.#next += 1;
      this.#run(slot);
      this.#skipContinued();
    }
  }

  #skipContinued(): void {
    while (this.#isContinued(this.#next)) this.#next += 1;
  }

  #mayStartNext(): boolean {
    const index = this.#next;
    if (index > this.#lastUseful) return false;
    if (this.#deps.sequential === true) return index === this.#handedOn && this.#reading.size === 0;
    const { sourceConcurrency } = this.#deps.settings;
    if (index === this.#front) return this.#reading.size < sourceConcurrency;
    return (
      this.#runs.size < sourceConcurrency &&
      this.#setAside.size < MOST_SET_ASIDE &&
      index < this.#handedOn + sourceConcurrency * READ_AHEAD &&
      this.#budget.hasRoom(this.#budget.stepBytes)
    );
  }

  #moveFront(): void {
    for (; ; this.#front += 1) {
      const slot = this.#slots.get(this.#front);
      if (slot?.ahead === true) this.#leaveAhead(slot);
      const isDone = this.#front < this.#handedOn || this.#isContinued(this.#front);
      if (!isDone && slot?.isOver !== true) return;
    }
  }

  /** The slot is the front, or was finished when the front passed it. From now on only its buffered bytes count. */
  #leaveAhead(slot: SourceSlot): void {
    this.#budget.leaveAhead(slot);
    this.#budget.charge(slot, slot.buffered);
    this.#setAside.delete(slot);
    clearTimeout(slot.parkTimer);
    if (slot.state === 'deferred') this.#run(slot);
    if (slot.state === 'parked') slot.state = 'running';
  }

  #addSlot(index: number): SourceSlot {
    const file = this.#deps.files[index];
    if (!file) throw new RangeError(`no file with index ${index}`);
    const slot = new SourceSlot(index, file, this);
    this.#slots.set(index, slot);
    if (index === this.#front) slot.ahead = false;
    return slot;
  }

  #park(slot: SourceSlot): void {
    slot.pause();
    slot.state = 'parked';
    this.#setAside.add(slot);
    slot.parkTimer = setTimeout(() => this.#defer(slot), this.#deps.settings.sourceParkedMaxMs);
  }

  #tryUnpark(slot: SourceSlot): void {
    const wanted = slot.head?.declaredLength ?? slot.buffered + this.#budget.stepBytes;
    if (!this.#budget.reserve(slot, wanted)) return;
    clearTimeout(slot.parkTimer);
    this.#setAside.delete(slot);
    slot.state = 'running';
    slot.resume();
  }

  /** Servers close connections that nobody reads, so a parked download ends before that and is repeated later. */
  #defer(slot: SourceSlot): void {
    slot.state = 'deferred';
    this.#setAside.add(slot);
    slot.cancel(new DOMException('deferred until its data is needed', 'AbortError'));
    slot.reset();
    this.#budget.charge(slot, 0);
    this.#pump();
  }

  /** A request for a file that is read waits. */
  #queue(origin: string): () => void {
    this.#queued.set(origin, 1 + (this.#queued.get(origin) ?? 0));
    this.#yieldConnections(origin);
    return () => {
      const others = (this.#queued.get(origin) ?? 1) - 1;
      if (others > 0) this.#queued.set(origin, others);
      else this.#queued.delete(origin);
    };
  }

  /** Ends downloads of the origin that nobody reads, so that all requests for files that are read get a connection. */
  #yieldConnections(origin: string | undefined): void {
    const waiting = origin === undefined ? undefined : this.#queued.get(origin);
    if (this.#stopped || origin === undefined || waiting === undefined) return;
    const ending = this.#yielding.values().reduce((sum, of) => sum + Number(of === origin), 0);
    const needed = this.#fetchDeps.download.hosts.surplusOf(origin, waiting) - ending;
    const idle = [...this.#slots.values()].filter(
      (slot) => slot.paused && !slot.handedOn && originOf(slot) === origin,
    );
    const last = idle.toSorted((a, b) => b.index - a.index).slice(0, Math.max(0, needed));
    for (const slot of last) this.#yieldConnection(slot, origin);
  }

  #yieldConnection(slot: SourceSlot, origin: string): void {
    if (slot.controller) this.#yielding.set(slot.controller, origin);
    if (slot.state === 'parked') this.#defer(slot);
    else if (slot.state === 'running') this.#restart(slot);
  }

  /** The front begins again. The gate admits files that are read first, because they are before it in the list. */
  #restart(front: SourceSlot): void {
    front.cancel(new DOMException('yields its connection', 'AbortError'));
    front.reset();
    this.#budget.charge(front, 0);
    this.#run(front);
  }

  #run(slot: SourceSlot): void {
    slot.state = 'running';
    const controller = new AbortController();
    slot.controller = controller;
    if (slot.ahead) this.#budget.charge(slot, this.#budget.stepBytes);
    const run = this.#download(slot, controller).finally(() => {
      this.#runs.delete(run);
      this.#yielding.delete(controller);
      this.#pump();
    });
    this.#runs.add(run);
  }

  async #download(slot: SourceSlot, controller: AbortController): Promise<void> {
    const { signal } = controller;
    try {
      await fetchSource(slot, signal, this.#fetchDeps);
      if (!signal.aborted) this.#complete(slot);
    } catch (error) {
      if (signal.aborted) return;
      if (slot.state === 'parked') this.#defer(slot);
      else this.#fail(slot, toError(error));
    }
  }

  #complete(slot: SourceSlot): void {
    slot.state = 'complete';
    this.known.good(slot.index, slot.head?.declaredLength);
    slot.controller = undefined;
    clearTimeout(slot.parkTimer);
    this.#setAside.delete(slot);
    this.#budget.charge(slot, slot.buffered);
    slot.wake();
  }

  /** Sources behind a failed one will never be consumed. */
  #fail(slot: SourceSlot, error: Error): void {
    if (slot.isReplaceable && !isRefuted(error)) {
      this.#drop(slot, error);
      return;
    }
    this.#noteFailure(error);
    if (this.#deps.reportFailures === true) slot.report(error);
    slot.fail(error);
    this.#budget.charge(slot, 0);
    if (slot.failure) return;
    this.#failure ??= error;
    this.#lastUseful = Math.min(this.#lastUseful, slot.index);
    for (const other of this.#slots.values()) if (other.index > slot.index) this.#drop(other, error);
  }

  #drop(slot: SourceSlot, reason: Error): void {
    this.#setAside.delete(slot);
    slot.fail(reason);
    this.#budget.charge(slot, 0);
  }

  #release(slot: SourceSlot): void {
    slot.fail(this.#noLongerRead);
    this.#budget.charge(slot, 0);
    this.#slots.delete(slot.index);
    this.#pump();
  }

  #stop(reason: Error): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    this.#ended.abort(reason);
    this.#deps.signal.removeEventListener('abort', this.#onAbort);
    for (const slot of this.#slots.values()) this.#drop(slot, reason);
    this.#wakeReader();
  }
}

/** Of its first request; a redirect may lead elsewhere. */
function originOf({ file }: SourceSlot): string | undefined {
  return URL.parse(file.url)?.origin;
}

/** The bytes that the failed download wrote may be wrong. */
function isRefuted(error: Error): boolean {
  return error instanceof SourceError && (error.refutesReceived || error.voidsReceived);
}

/** Downloads the files in order, several at a time, within one memory budget. Dispose it before its agent. */
export function createSourceReader(
  deps: SourceReaderDeps,
): SourceReader & AsyncDisposable & { readonly bytesHeld: number } {
  return new Prefetch(deps);
}
