/** Sends the parts of an upload and keeps the responses of the store. */
import { toError } from '#runtime/errors.ts';
import type { Logger } from '#runtime/log/log.ts';
import { retry } from '#runtime/time/retry.ts';
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { concurrentParts, type PartMemory } from '#runtime/zip-request/part-sizes.ts';
import type { Part } from './complete-upload.ts';
import type { FilledPart } from './part-writer.ts';
import { SendLimit } from './send-limit.ts';
import type { Store, UploadRef } from './store.ts';
import { StoreError } from './store-errors.ts';
import { type StoreRetrySettings, storeRetryPolicy } from './store-retry.ts';

export interface PartSenderDeps {
  readonly store: Pick<Store, 'uploadPart'>;
  readonly settings: StoreRetrySettings & PartMemory;
  readonly log: Logger;
  /** Ends everything but requests that are being sent. */
  readonly signal: AbortSignal;
  /** Parts that the store has from an earlier process. */
  readonly kept?: ReadonlyMap<number, Part> | undefined;
  readonly onRetry: () => void;
  readonly onFailure: (error: Error) => void;
}

export interface PartSender {
  /** Aborted when no request starts any more. */
  readonly signal: AbortSignal;
  /** Bytes that the store has confirmed. */
  readonly bytes: number;
  /** The parts that the store has confirmed, by ascending number. */
  parts(): readonly Part[];
  readonly send: (part: FilledPart) => Promise<void>;
  /** Starts no request any more. */
  readonly stopStarts: () => void;
  /** Also cancels those that are being sent. */
  readonly stop: () => void;
}

export function bytesOf(parts: Iterable<Pick<Part, 'bytes'>>): number {
  let bytes = 0;
  for (const part of parts) bytes += part.bytes;
  return bytes;
}

export function createPartSender(deps: PartSenderDeps, ref: UploadRef): PartSender {
  const stop = new AbortController();
  const stopStarts = new AbortController();
  const starts = AbortSignal.any([deps.signal, stop.signal, stopStarts.signal]);
  const parts = new Map(deps.kept);
  // One for all parts: one that succeeds shows that the store is there. A time in which every buffer waits for sources does not count.
  const limit = new RetryLimit(deps.settings.storeRetryLimitMs);
  const policy = storeRetryPolicy(deps.settings, { log: deps.log, limit, onRetry: deps.onRetry });
  const sends = new SendLimit(
    concurrentParts(deps.settings),
    (error) => error instanceof StoreError && error.isThrottle,
  );
  let bytes = bytesOf(parts.values());
  function sendOnce(part: FilledPart): Promise<Part> {
    return sends.run(async () => {
      // It may have waited for its turn.
      starts.throwIfAborted();
      return deps.store.uploadPart(ref, part, stop.signal);
    });
  }
  return {
    signal: starts,
    get bytes() {
      return bytes;
    },
    parts: () => [...parts.values()].toSorted((a, b) => a.number - b.number),
    stopStarts: () => stopStarts.abort(new DOMException('the upload is left to another pod', 'AbortError')),
    stop: () => stop.abort(new DOMException('the upload was cancelled', 'AbortError')),
    send: async (part: FilledPart): Promise<void> => {
      try {
        const sent = await retry(() => sendOnce(part), policy, starts);
        parts.set(sent.number, sent);
        bytes += sent.bytes;
      } catch (error) {
        deps.onFailure(toError(error));
        throw error;
      }
    },
  };
}
