/** Asks the sources of an earlier pod whether they still have the version of which a part is in the archive. */
import { retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { crc32 } from '../crc32.ts';
import type { BoundaryProbe, Recognized } from '../resume/resolve.ts';
import type { EntryRecord, FileRecord } from '../resume/types.ts';
import { BlockPool } from './block-pool.ts';
import { type DownloadDeps, type DownloadRequest, download, type SourceSink } from './download.ts';
import { createDownloadDeps, fetchSource } from './fetch-source.ts';
import { recordedResponse } from './response-head.ts';
import { SourceError } from './source-error.ts';
import { describeFailure, sourceRetryPolicy } from './source-retry.ts';
import { type SlotOwner, SourceSlot } from './source-slot.ts';
import { SMALL_ENTRY_BYTES, type SourceReaderDeps } from './types.ts';

function ignore(): void {
  return undefined;
}

/** Calls `onResized` as soon as the body has or declares another length. */
function ownerOf(size: number, onResized: () => void): SlotOwner {
  return {
    pool: new BlockPool(SMALL_ENTRY_BYTES),
    headArrived: ({ head }) => {
      if ((head?.declaredLength ?? size) !== size) onResized();
    },
    bytesArrived: ({ received }) => {
      if (received > size) onResized();
    },
    resumed: ignore,
    bytesTaken: ignore,
    consumed: ignore,
    fillOf: () => undefined,
  };
}

class SourceProbe implements BoundaryProbe {
  readonly #deps: SourceReaderDeps;
  readonly #download: DownloadDeps;

  constructor(deps: SourceReaderDeps) {
    this.#deps = deps;
    this.#download = createDownloadDeps(deps);
  }

  repeat(index: number, record: FileRecord): Promise<Recognized<Uint8Array>> {
    return this.#unlessLeftOut(async () => {
      const { size, crc } = entryOf(index, record);
      const body = await this.#fetch(index, size);
      if (body?.length !== size) return 'resized';
      return crc32(body) === crc ? body : 'changed';
    });
  }

  confirm(index: number, record: FileRecord): Promise<Recognized<'same'>> {
    return this.#unlessLeftOut(async () => {
      const { size } = entryOf(index, record);
      if (await this.#hasRange(index, record, size)) return 'same';
      return (await this.#lengthOf(index)) === size ? 'changed' : 'resized';
    });
  }

  /** A file that fails is left out, if the job allows that. Then it has no length any more. */
  async #unlessLeftOut<T>(ask: () => Promise<T>): Promise<T | 'resized'> {
    try {
      return await ask();
    } catch (error) {
      if (this.#deps.reportFailures === true && error instanceof SourceError) return 'resized';
      throw error;
    }
  }

  /** Undefined if the body has another length. */
  async #fetch(index: number, size: number): Promise<Uint8Array | undefined> {
    const resized = new AbortController();
    const owner = ownerOf(size, () => resized.abort(new DOMException('another length', 'AbortError')));
    const slot = new SourceSlot(index, this.#fileAt(index), owner);
    slot.ahead = false;
    const hooks = { onRestart: ignore, onRetry: ignore, onRepeated: ignore, onQueued: () => ignore };
    const deps = { ...this.#deps, ...hooks, download: this.#download };
    try {
      await fetchSource(slot, AbortSignal.any([this.#deps.signal, resized.signal]), deps);
    } catch (error) {
      if (resized.signal.aborted) return undefined;
      throw error;
    }
    slot.state = 'complete';
    return slot.toEntry().small;
  }

  /** Whether the source sends a range of the recorded version. */
  async #hasRange(index: number, { validator }: FileRecord, size: number): Promise<boolean> {
    if (validator === undefined) return false;
    const resume = { ...recordedResponse(validator, size), from: 0, to: 1 };
    try {
      await this.#request(index, { resume, sink: { start: ignore, continue: ignore, write: ignore } });
      return true;
    } catch (error) {
      if (isOther(error)) return false;
      throw error;
    }
  }

  async #lengthOf(index: number): Promise<number | undefined> {
    let length: number | undefined;
    const sink: SourceSink = {
      start: ({ declaredLength }) => {
        length = declaredLength;
      },
      continue: ignore,
      write: ignore,
    };
    await this.#request(index, { resume: undefined, sink, headOnly: true });
    return length;
  }

  async #request(index: number, what: Pick<DownloadRequest, 'resume' | 'sink' | 'headOnly'>): Promise<void> {
    const { settings, signal, log } = this.#deps;
    const limit = new RetryLimit(settings.sourceRetryLimitMs);
    const request = { ...this.#fileAt(index), ...what, index, signal, limit };
    await retry(
      () => download(request, this.#download),
      {
        ...sourceRetryPolicy(settings, limit, (error) => !isOther(error)),
        onRetry: (error, tries, delayMs) =>
          log.warn({ ...describeFailure(error), fileIndex: index, tries, delayMs }, 'retrying a source'),
      },
      signal,
    );
  }

  #fileAt(index: number) {
    const file = this.#deps.files[index];
    if (!file) throw new RangeError(`no file with index ${index}`);
    return file;
  }
}

/** The source does not send the recorded version by ranges. */
function isOther(error: unknown): boolean {
  return error instanceof SourceError && error.voidsReceived;
}

function entryOf(index: number, { entry }: FileRecord): EntryRecord {
  if (!entry) throw new Error(`file ${index} has no entry`);
  return entry;
}

/** The caller destroys the agent after the last answer. */
export function createBoundaryProbe(deps: SourceReaderDeps): BoundaryProbe {
  return new SourceProbe(deps);
}
