/** The real publication of the parts of a model. */
import { RetryLimit } from '#runtime/time/retry-limit.ts';
import { type Publication, publish } from '#zipper-image/store/publish.ts';
import { lookUpPolicy, storeRetryPolicy } from '#zipper-image/store/store-retry.ts';
import type { UploadsLeftCount } from '#zipper-image/store/uploads-left.ts';
import { log, STORE_SETTINGS, type ZipperDeps } from './zipper-deps.ts';

interface Hooks {
  readonly left: UploadsLeftCount;
  readonly onSent: (isSent: boolean) => void;
}

export function publishParts({ store }: ZipperDeps, publication: Publication, { left, onSent }: Hooks) {
  return publish(
    {
      store,
      log,
      retryPolicy: () => lookUpPolicy(STORE_SETTINGS, log),
      completePolicy: (limitMs) => storeRetryPolicy(STORE_SETTINGS, { log, limit: new RetryLimit(limitMs) }),
      retryLimitMs: STORE_SETTINGS.storeRetryLimitMs,
      idleTimeoutMs: 15_000,
      consistencyMs: STORE_SETTINGS.storeConsistencyMs,
      onAbortFailed: left.abortFailed,
      onSent: () => onSent(true),
      onRefused: () => onSent(false),
      onGone: () => left.uploadEnded('aborted'),
    },
    publication,
  );
}
