/** The bucket of the model as one process sees it: with the interface of the real client. */

import { NOW } from '#test/support/builders/objects.ts';
import type { Random } from '#test/support/random.ts';
import type { Completion, Part } from '#zipper-image/store/complete-upload.ts';
import type { ListedPart } from '#zipper-image/store/list-parts.ts';
import type { ListedUpload } from '#zipper-image/store/list-uploads.ts';
import type { PartToSend } from '#zipper-image/store/part-request.ts';
import type { Completed } from '#zipper-image/store/part-verification.ts';
import type { Store, StoredObject, UploadRef } from '#zipper-image/store/store.ts';
import { CAPABILITIES } from '#zipper-image/store/store-capabilities.ts';
import { StoreError } from '#zipper-image/store/store-errors.ts';
import type { ModelProcess, RequestKind } from './model-process.ts';
import { type ModelBucket, partsAt, type Refusal, UNIT_BYTES } from './model-store.ts';

/** How often requests fail, and how. */
export interface StoreFaults {
  rate: number;
}

const FOCUS_RATE = 0.4;

const REFUSALS = {
  NoSuchUpload: { code: 'StoreUnavailable', httpStatus: 404, retryable: true },
  InvalidPart: { code: 'StoreCorrupted', httpStatus: 400, retryable: true },
  AccessDenied: { code: 'BucketAccessDenied', httpStatus: 403, retryable: false },
  InternalError: { code: 'StoreUnavailable', httpStatus: 500, retryable: true },
} as const;

function refused(storeCode: keyof typeof REFUSALS): StoreError {
  return new StoreError(storeCode, { ...REFUSALS[storeCode], storeCode, isDocument: true });
}

function lost(): StoreError {
  return new StoreError('no response', {
    code: 'StoreUnavailable',
    retryable: true,
    storeCode: 'ECONNRESET',
  });
}

function accepted<T extends object>(result: T | Refusal | 'aborted'): T {
  if (result === 'NoSuchUpload' || result === 'InvalidPart') throw refused(result);
  return result as T;
}

/** What happens to a request on the way, its response, and when the store carries it out. */
type Fate = 'delivered' | 'unsent' | 'unheard' | 'late' | 'failed';

function drawFate(random: Random, rate: number): Fate {
  return random.next() < rate ? random.pick(['unsent', 'unheard', 'late', 'failed']) : 'delivered';
}

export interface ClientDeps {
  readonly bucket: ModelBucket;
  readonly process: ModelProcess;
  readonly faults: StoreFaults;
  /** These requests fail more often, while requests fail at all. */
  readonly focus: RequestKind;
  /** Called when an abort takes effect on an upload that was there. */
  readonly onAbort: (uploadId: string) => void;
  /** Called when a part takes effect; `isNew`: its pod sent it while it completed the upload, and the store had other bytes, or none. */
  readonly onPart: (uploadId: string, isNew: boolean) => void;
  /** Called when a Complete takes effect. */
  readonly onComplete: () => void;
  /** Called for every effect. */
  readonly note: (what: string) => void;
}

class ModelStore implements Store {
  readonly capabilities = CAPABILITIES.s3;
  readonly partChecksum = 'md5';
  readonly verifiesObject = false;
  readonly permittedOptions = [];
  readonly clock = {
    at: (ms: number) => ({ earliest: NOW.getTime() + ms, latest: NOW.getTime() + ms + 1000 }),
  };
  readonly #deps: ClientDeps;

  constructor(deps: ClientDeps) {
    this.#deps = deps;
  }

  without(): Store {
    return this;
  }

  continueUpload(): void {
    // Its parts need no checksum of the store.
  }

  createUpload(_key: string, attempt: string, signal?: AbortSignal): Promise<string> {
    return this.#request(
      'create',
      () => {
        const uploadId = this.#deps.bucket.create(attempt);
        this.#deps.note(`created ${uploadId}`);
        return uploadId;
      },
      signal,
    );
  }

  uploadPart({ uploadId }: UploadRef, part: PartToSend, signal?: AbortSignal): Promise<Part> {
    const { number, bytes, body, digests } = part;
    const text = body.map((chunk) => Buffer.from(chunk).toString()).join('');
    const { bucket, onPart, process } = this.#deps;
    // A request that the pod has repeated since may arrive later.
    const sentAt = process.at;
    return this.#request(
      'part',
      () => {
        const known = bucket.find(uploadId)?.parts.findLast((one) => one.number === number);
        const { etag } = accepted(bucket.put(uploadId, { number, text, units: bytes / UNIT_BYTES }));
        this.#deps.note(`part ${number} of ${uploadId}: ${text}`);
        onPart(uploadId, sentAt === 'committing' && known?.text !== text);
        return { number, bytes, digests, etag: `"${etag}"`, etagIsMd5: !bucket.hasOpaqueEtags };
      },
      signal,
    );
  }

  completeUpload({ uploadId }: UploadRef, parts: readonly Part[], how: Completion): Promise<Completed> {
    how.onSent?.(true);
    return this.#request('complete', () => {
      const { etag } = accepted(this.#deps.bucket.complete(uploadId, parts));
      this.#deps.note(`completed ${uploadId}`);
      this.#deps.onComplete();
      return { etag, crc32OfParts: undefined };
    });
  }

  abortUpload({ uploadId }: UploadRef, signal?: AbortSignal): Promise<void> {
    return this.#request(
      'abort',
      () => {
        accepted(this.#deps.bucket.abort(uploadId) as Refusal);
        this.#deps.note(`aborted ${uploadId}`);
        this.#deps.onAbort(uploadId);
      },
      signal,
    );
  }

  lookAtUpload(upload: UploadRef, signal?: AbortSignal): Promise<'gone' | 'empty' | 'parts'> {
    return this.#request(
      'list',
      () => {
        const parts = this.#listed(upload);
        if (parts === undefined) return 'gone';
        return parts.length === 0 ? 'empty' : 'parts';
      },
      signal,
    );
  }

  listParts(upload: UploadRef, signal?: AbortSignal): Promise<readonly ListedPart[]> {
    return this.#request(
      'list',
      () => {
        const parts = this.#listed(upload);
        if (parts === undefined) throw refused('NoSuchUpload');
        return parts.map(({ number, units, etag }) => ({
          number,
          bytes: units * UNIT_BYTES,
          etag: `"${etag}"`,
        }));
      },
      signal,
    );
  }

  listUploads(key: string, signal?: AbortSignal): Promise<readonly ListedUpload[]> {
    const { bucket } = this.#deps;
    return this.#request(
      'list',
      () => {
        const ms = bucket.listedMs;
        return [...bucket.uploads.values()]
          .filter(({ startedMs, endedMs }) => startedMs <= ms && endedMs > ms)
          .map(({ uploadId, startedMs }) => {
            const initiated = new Date(NOW.getTime() + (bucket.hidesAges ? 0 : startedMs));
            return { key, uploadId, initiated, initiator: 'us' };
          });
      },
      signal,
    );
  }

  head(_key: string, signal?: AbortSignal): Promise<StoredObject | undefined> {
    const { bucket } = this.#deps;
    return this.#request(
      'head',
      () => {
        const found = bucket.object(bucket.listedMs);
        return found && { bytes: found.bytes, etag: found.etag, attempt: found.owner };
      },
      signal,
    );
  }

  deleteObject(): Promise<void> {
    throw new Error('No archive of the model is corrupted');
  }

  close(): void {
    // Nothing is open.
  }

  #listed({ uploadId }: UploadRef) {
    const { bucket } = this.#deps;
    if (bucket.hidesParts) throw refused('AccessDenied');
    const ms = bucket.listedMs;
    const upload = bucket.find(uploadId, ms);
    return upload && partsAt(upload, ms);
  }

  /** Sends a request, whose effect is `act`. It may take effect after its process has given up, or was killed. */
  async #request<T>(kind: RequestKind, act: () => T, signal?: AbortSignal): Promise<T> {
    const { process, bucket, faults, focus } = this.#deps;
    const { time, random } = bucket;
    await process.gate(kind);
    signal?.throwIfAborted();
    const rate = kind === focus && faults.rate > 0 ? FOCUS_RATE : faults.rate;
    const fate = drawFate(random, rate);
    const response = Promise.withResolvers<T>();
    const takes = fate === 'late' ? random.int(1_000, 30_000) : random.int(5, 800);
    time.after(takes, () => {
      try {
        if (fate === 'unsent') throw lost();
        if (fate === 'failed') throw refused('InternalError');
        response.resolve(act());
      } catch (error) {
        response.reject(error as Error);
      }
    });
    response.promise.catch(() => undefined);
    try {
      const result = await raced(fate === 'late' ? givenUp(time.delay(2_000)) : response.promise, signal);
      if (fate === 'unheard') throw lost();
      return result;
    } finally {
      await time.delay(random.int(0, 50));
      await process.gate();
    }
  }
}

async function givenUp(wait: Promise<unknown>): Promise<never> {
  await wait;
  throw lost();
}

function raced<T>(response: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return response;
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    response.then(resolve, reject);
  });
}

export function createModelStore(deps: ClientDeps): ModelStore {
  return new ModelStore(deps);
}
export type { ModelStore };
