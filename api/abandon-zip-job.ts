import type { ZipJob } from '#crds/zip-job.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';
import { type RetryPolicy, retry } from '#runtime/retry.ts';

/** A ZipJob that no caller was told of. Without the uid the name alone says which: it is random then. */
export interface AbandonedZipJob {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export interface AbandonZipJobDeps {
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'delete'>;
  readonly log: Logger;
  readonly policy?: RetryPolicy;
  /** Most deletions at a time; what comes on top is left to the start deadline. */
  readonly maxAtOnce?: number;
}

/**
 * Deletes, in the background, a ZipJob whose file list could not be stored. It would wait for its list until its start
 * deadline, and the next job of the same bucket key would wait behind it. That deadline remains the bound when this fails too.
 */
export interface AbandonZipJob extends AsyncDisposable {
  (job: AbandonedZipJob): void;
}

/** Around two minutes in all, so that an API server that is restarting is outlasted. */
const POLICY: RetryPolicy = { attempts: 9, baseDelayMs: 250, maxDelayMs: 30_000, maxRetryAfterMs: 30_000 };
const MAX_AT_ONCE = 1_000;

export const createAbandonZipJob = (deps: AbandonZipJobDeps): AbandonZipJob => {
  const { jobClient, log, policy = POLICY, maxAtOnce = MAX_AT_ONCE } = deps;
  const end = new AbortController();
  const running = new Set<Promise<void>>();

  const remove = async ({ namespace, name, uid }: AbandonedZipJob): Promise<void> => {
    const options = { ...(uid === undefined ? {} : { uid }), signal: end.signal };
    try {
      await retry(() => jobClient.delete(namespace, name, options), policy, end.signal);
      log.info({ project: namespace, zipJob: name }, 'deleted a ZipJob whose file list could not be stored');
    } catch (error) {
      log.error(
        { err: error, project: namespace, zipJob: name },
        'a ZipJob without its file list could not be deleted: it ends at its start deadline, later jobs of its key wait until then',
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
