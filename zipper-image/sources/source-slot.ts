import type { Expectations } from '#crds/file-entry.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { FillSlices } from '../byte-sink.ts';
import type { BlockPool } from './block-pool.ts';
import type { SourceFile } from './bucket-source.ts';
import { ChunkQueue } from './chunk-queue.ts';
import type { SourceSink } from './download.ts';
import type { Flow } from './http-get.ts';
import { PrefixCrc, type ReceivedPrefix } from './repeated-prefix.ts';
import { type ResumePoint, recordedValidator, type SourceHead } from './response-head.ts';
import { SourceError } from './source-error.ts';
import { isVerifiable } from './stated.ts';
import { SMALL_ENTRY_BYTES, type SourceEntry } from './types.ts';

/**
 * idle -> running -> complete | failed. An early download without memory is parked: its connection stays open but is
 * not read. It resumes later. If it is parked for too long, it is deferred: closed, dropped, and downloaded again when
 * it is the front.
 */
export type SlotState = 'idle' | 'running' | 'parked' | 'deferred' | 'complete' | 'failed';

/** Decides about memory. Called synchronously from the socket and from the consumer. */
export interface SlotOwner {
  readonly pool: BlockPool;
  headArrived(slot: SourceSlot): void;
  /** The source continues an interrupted download. */
  resumed(slot: SourceSlot): void;
  bytesArrived(slot: SourceSlot, count: number): void;
  bytesTaken(slot: SourceSlot): void;
  /** The consumer has all bytes of the source, or wants no more of them. */
  consumed(slot: SourceSlot): void;
  /** How to read the source from several places at a time; undefined if it cannot or need not be. */
  fillOf(slot: SourceSlot): FillSlices | undefined;
}

const END: IteratorReturnResult<undefined> = { done: true, value: undefined };

/** One source between its socket and the consumer: its buffered bytes, and whether more may arrive. */
export class SourceSlot implements SourceSink {
  readonly index: number;
  readonly file: SourceFile;
  state: SlotState = 'idle';
  head: SourceHead | undefined;
  error: Error | undefined;
  /** Why the file is missing, if the entry reports that instead of an exception. */
  failure: SourceError | undefined;
  /** Bytes of the budget that this source uses. */
  charge = 0;
  /** Behind the first unfinished download. */
  ahead = true;
  /** The consumer has the entry, so a restart would repeat bytes. */
  handedOn = false;
  /** Others read the file too, so a failure of this download is not one of the file. */
  isReplaceable = false;
  /** Aborts the active download. */
  controller: AbortController | undefined;
  parkTimer: NodeJS.Timeout | undefined;
  readonly #owner: SlotOwner;
  readonly #queue: ChunkQueue;
  #seen = 0;
  #flow: Flow | undefined;
  #paused = false;
  #waiter: PromiseWithResolvers<void> | undefined;
  #wanted: PromiseWithResolvers<void> | undefined;
  #voided = false;
  /** Of a source whose first bytes the consumer has. */
  #crc: PrefixCrc | undefined;

  constructor(index: number, file: SourceFile, owner: SlotOwner) {
    this.index = index;
    this.file = file;
    this.#owner = owner;
    this.#queue = new ChunkQueue(owner.pool);
  }

  get buffered(): number {
    return this.#queue.bytes;
  }

  /** The buffered bytes in order. They stay. */
  peek(): Iterable<Uint8Array> {
    return this.#queue.peek();
  }

  get paused(): boolean {
    return this.#paused;
  }

  /** True once it is known whether the whole body is small. */
  get decided(): boolean {
    return this.state === 'complete' || this.#seen > SMALL_ENTRY_BYTES;
  }

  /** The source says that the body is not small. */
  get isLarge(): boolean {
    return (this.head?.declaredLength ?? 0) > SMALL_ENTRY_BYTES;
  }

  /** Received bytes of the current file. */
  get received(): number {
    return this.#seen;
  }

  /** Position at which the next attempt can resume; undefined if it must start at the first byte. */
  get resumePoint(): ResumePoint | undefined {
    const { etag, declaredLength, lastModifiedText, contentEncoding } = this.head ?? NO_HEAD;
    if (etag === undefined || this.#seen === 0 || this.#voided) return undefined;
    return {
      from: this.#seen,
      total: declaredLength,
      etag,
      lastModifiedText,
      contentEncoding,
      validator: etag,
    };
  }

  /** What a response that starts at the first byte must repeat; undefined if it cannot be continued. */
  get prefix(): ReceivedPrefix | undefined {
    const crc = this.#crc?.value;
    if (crc === undefined) return undefined;
    const { declaredLength: total, lengthUnverified } = this.head ?? NO_HEAD;
    return { bytes: this.#seen, crc32: crc, total, lengthUnverified };
  }

  start(head: SourceHead, flow: Flow): void {
    this.head = head;
    this.#flow = flow;
    this.#owner.headArrived(this);
    this.wake();
  }

  continue(flow: Flow): void {
    this.#flow = flow;
    if (this.#paused) flow.pause();
    this.#owner.resumed(this);
  }

  /** The received bytes can no longer be continued by a range. */
  voidReceived(): void {
    this.#voided = true;
  }

  /** The received bytes can no longer be continued. */
  refuteReceived(): void {
    this.#voided = true;
    this.#crc = undefined;
  }

  write(chunk: Uint8Array): void {
    this.#seen += chunk.byteLength;
    this.#crc?.add(chunk);
    this.#queue.push(chunk, this.handedOn && this.#waiter !== undefined);
    this.#owner.bytesArrived(this, chunk.byteLength);
    this.wake();
  }

  pause(): void {
    if (this.#paused) return;
    this.#paused = true;
    this.#flow?.pause();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#flow?.resume();
    this.#wanted?.resolve();
    this.#wanted = undefined;
  }

  /** Resolves when more bytes are wanted. */
  async untilWanted(): Promise<void> {
    if (!this.#paused) return;
    this.#wanted ??= Promise.withResolvers();
    await this.#wanted.promise;
  }

  /** Drops the received bytes before another attempt. */
  reset(): void {
    this.#queue.clear();
    this.#seen = 0;
    this.#flow = undefined;
    this.#paused = false;
    this.#voided = false;
    this.head = undefined;
  }

  /** Ends the download permanently. A waiting reader gets the error. */
  fail(error: Error): void {
    if (this.state === 'failed') return;
    this.state = 'failed';
    this.error = error;
    this.cancel(error);
    this.#queue.clear();
    this.wake();
  }

  /** Reports the failure in the entry, if the consumer does not have the entry yet. */
  report(error: Error): void {
    if (error instanceof SourceError && !this.handedOn) this.failure = error;
  }

  /** No more bytes will arrive. */
  get isOver(): boolean {
    return this.state === 'complete' || this.failure !== undefined;
  }

  throwIfFailed(): void {
    if (this.error && !this.failure) throw this.error;
  }

  /** Aborts the active download, if any. */
  cancel(reason: Error): void {
    clearTimeout(this.parkTimer);
    const { controller } = this;
    this.controller = undefined;
    controller?.abort(reason);
    this.#wanted?.resolve();
    this.#wanted = undefined;
  }

  wake(): void {
    this.#waiter?.resolve();
    this.#waiter = undefined;
  }

  /** Resolves at the next change. */
  changed(): Promise<void> {
    this.#waiter ??= Promise.withResolvers();
    return this.#waiter.promise;
  }

  /** With the CRC-32 that the store of a bucket has, unless the job states one. */
  get stated(): Expectations {
    const { file, head } = this;
    return { ...file, ...defined({ crc32: file.crc32 ?? head?.crc32 }) };
  }

  toEntry(): SourceEntry {
    const { index, failure } = this;
    const { filename } = this.file;
    if (failure)
      return {
        ...NO_HEAD,
        contentEncoded: false,
        index,
        filename,
        failure,
        small: undefined,
        body: oneChunk(NO_BYTES),
      };
    const head = this.head ?? NO_HEAD;
    const isSmall = this.state === 'complete' && this.#seen <= SMALL_ENTRY_BYTES;
    this.handedOn = true;
    if (this.state !== 'complete') this.#startCrc();
    const small = isSmall ? this.#queue.takeAll() : undefined;
    return {
      index,
      filename,
      // A body of another size fails, so a stated size is as good as a declared one.
      declaredLength: head.declaredLength ?? this.file.size,
      lastModified: head.lastModified,
      lengthUnverified: head.lengthUnverified && !isVerifiable(this.file),
      contentEncoded: head.contentEncoding !== undefined,
      stated: this.stated,
      validator: recordedValidator(head),
      small,
      fill: small ? undefined : this.#owner.fillOf(this),
      body: small ? oneChunk(small) : { [Symbol.asyncIterator]: () => this.#iterate() },
    };
  }

  /** Small and prefetched sources never need it. Before that, a download that cannot resume restarts. */
  #startCrc(): void {
    this.#crc = new PrefixCrc();
    for (const chunk of this.#queue.peek()) this.#crc.add(chunk);
  }

  #iterate(): AsyncIterator<Uint8Array, undefined> {
    return { next: () => this.#next(), return: () => Promise.resolve(this.#end()) };
  }

  #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.error) {
      this.#owner.consumed(this);
      return Promise.reject(this.error);
    }
    const value = this.#queue.shift();
    if (!value)
      return this.state === 'complete'
        ? Promise.resolve(this.#end())
        : this.changed().then(() => this.#next());
    this.#owner.bytesTaken(this);
    return Promise.resolve({ done: false, value });
  }

  #end(): IteratorReturnResult<undefined> {
    this.#owner.consumed(this);
    return END;
  }
}

const NO_BYTES = new Uint8Array(0);
const NO_HEAD: SourceHead = {
  declaredLength: undefined,
  lastModified: undefined,
  lengthUnverified: false,
  contentEncoding: undefined,
  etag: undefined,
  lastModifiedText: undefined,
  validator: undefined,
};

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.byteLength > 0) yield bytes;
}
