import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import { defined } from '#runtime/optional.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';

/** A ZipJob that was not returned to a caller. Without a uid, the name identifies it, because it is random. */
export interface AbandonedZipJob {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export interface AbandonZipJobDeps {
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'delete'>;
  readonly log: Logger;
  readonly policy?: RetryPolicy;
  /** Maximum concurrent deletions; further jobs fail at their start deadline. */
  readonly maxAtOnce?: number;
}

/**
 * Deletes a ZipJob whose file list could not be stored, in the background. Otherwise it would wait for its list until its start
 * deadline and block the next job with the same bucket and key. If the deletion fails, the start deadline still applies.
 */
export interface AbandonZipJob extends AsyncDisposable {
  (job: AbandonedZipJob): void;
}

/** About two minutes in total, long enough for a restart of the API server. */
const POLICY: RetryPolicy = { attempts: 9, baseDelayMs: 250, maxDelayMs: 30_000, maxRetryAfterMs: 30_000 };
const MAX_AT_ONCE = 1_000;

export const createAbandonZipJob = (deps: AbandonZipJobDeps): AbandonZipJob => {
  const { jobClient, log, policy = POLICY, maxAtOnce = MAX_AT_ONCE } = deps;
  const end = new AbortController();
  const running = new Set<Promise<void>>();

  const remove = async ({ namespace, name, uid }: AbandonedZipJob): Promise<void> => {
    const options = { ...defined({ uid }), signal: end.signal };
    try {
      await retry(() => jobClient.delete(namespace, name, options), policy, end.signal);
      log.info({ project: namespace, zipJob: name }, 'deleted a ZipJob whose file list could not be stored');
    } catch (error) {
      log.error(
        { err: error, project: namespace, zipJob: name },
        'could not delete a ZipJob without a file list: it fails at its start deadline and blocks later jobs of its key until then',
      );
    }
  };

  const abandon = (job: AbandonedZipJob): void => {
    if (running.size >= maxAtOnce || end.signal.aborted) return;
    const removal = remove(job).finally(() => running.delete(removal));
    running.add(removal);
  };
  return Object.assign(abandon, {
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await Promise.allSettled(running);
    },
  });
};
