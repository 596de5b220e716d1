import type { ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';

/**
 * A ZipJob that was not returned to a caller. Without a uid, it is not known whether it was or will be created; the name identifies it,
 * because it is random.
 */
export interface AbandonedZipJob {
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string | undefined;
}

export interface AbandonZipJobDeps {
  readonly jobClient: Pick<ObjectClient<ZipJob>, 'delete'>;
  readonly log: Logger;
  readonly clock: Pick<Clock, 'monotonicMs' | 'after'>;
  readonly policy?: RetryPolicy;
  /** Maximum concurrent deletions; further jobs are counted in the log and fail at their start deadline. */
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
const MAX_AT_ONCE = 2_000;
/** The longest time in which the API server executes a request that it has received: its own default time limit. */
const LATE_CREATE_MS = 60_000;
/** Doubled for each further delete. */
const FIRST_PAUSE_MS = 1_000;
/** An outage can leave thousands of jobs. */
const LOG_EVERY_MS = 60_000;

/** The number of jobs that are not deleted, for the log. */
function createSkipped({ log, clock }: Pick<AbandonZipJobDeps, 'log' | 'clock'>) {
  let count = 0;
  let quietUntilMs = -Infinity;
  function report(): void {
    if (count === 0) return;
    log.error(
      { zipJobs: count },
      'gave up deleting ZipJobs without a file list, because there are too many or the API stops: those that exist fail at their start deadlines and block later jobs of their keys until then',
    );
    count = 0;
    quietUntilMs = clock.monotonicMs() + LOG_EVERY_MS;
  }
  return {
    add: (): void => {
      count += 1;
    },
    report,
    reportIfDue: (): void => {
      if (clock.monotonicMs() >= quietUntilMs) report();
    },
  };
}

/** Resolves to whether it deleted the ZipJob. */
type DeleteZipJob = (job: AbandonedZipJob, signal: AbortSignal) => Promise<boolean>;

function createDelete({ jobClient, clock, policy = POLICY }: AbandonZipJobDeps): DeleteZipJob {
  const deleteOnce: DeleteZipJob = ({ namespace, name, uid }, signal) =>
    jobClient.delete(namespace, name, { ...defined({ uid }), signal });
  const deleteSurely: DeleteZipJob = (job, signal) => retry(() => deleteOnce(job, signal), policy, signal);

  /** A create, and each repetition of it, may still be executed after a delete. Only the last delete is repeated, since others follow. */
  const deleteWhileLate: DeleteZipJob = async (job, signal) => {
    const untilMs = clock.monotonicMs() + LATE_CREATE_MS;
    let isDeleted = false;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 2) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return (await deleteSurely(job, signal)) || isDeleted;
      isDeleted = (await deleteOnce(job, signal).catch(() => false)) || isDeleted;
      await pause(clock, Math.min(pauseMs, leftMs), signal);
      if (isDeleted && signal.aborted) return true;
      signal.throwIfAborted();
    }
  };
  return (job, signal) => (job.uid === undefined ? deleteWhileLate : deleteSurely)(job, signal);
}

export function createAbandonZipJob(deps: AbandonZipJobDeps): AbandonZipJob {
  const { log, maxAtOnce = MAX_AT_ONCE } = deps;
  const deleteZipJob = createDelete(deps);
  const skipped = createSkipped(deps);
  const end = new AbortController();
  const running = new Set<Promise<void>>();

  async function remove(job: AbandonedZipJob): Promise<void> {
    const { namespace, name } = job;
    try {
      if (await deleteZipJob(job, end.signal))
        log.info({ project: namespace, zipJob: name }, 'deleted a ZipJob without a complete file list');
    } catch (error) {
      if (end.signal.aborted) skipped.add();
      else
        log.error(
          { err: error, project: namespace, zipJob: name },
          'could not delete a ZipJob without a file list: it fails at its start deadline and blocks later jobs of its key until then',
        );
    }
  }

  function abandon(job: AbandonedZipJob): void {
    if (running.size >= maxAtOnce || end.signal.aborted) {
      skipped.add();
      skipped.reportIfDue();
      return;
    }
    const removal = remove(job).finally(() => running.delete(removal));
    running.add(removal);
  }
  return Object.assign(abandon, {
    [Symbol.asyncDispose]: async () => {
      end.abort();
      await Promise.allSettled(running);
      skipped.report();
    },
  });
}
