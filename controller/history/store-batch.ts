import type { ZipJob } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import type { HistoryOwner } from '#runtime/history/history-job.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { cachedBytesOf } from '../cluster/skeletons.ts';
import { archiving } from '../zip-job/policies/archiving.ts';
import type { BatchJob, BatchSource, StoreBatch, StoreBatchOptions, Stored } from './batch.ts';
import { writeConditions } from './write-conditions.ts';
import { writeEntries } from './write-entries.ts';

interface Found {
  readonly key: ObjectKey;
  readonly zipJob: ZipJob;
  readonly owner?: HistoryOwner | undefined;
  /** Why it has no owner, if the reason alone does not say it. */
  readonly message?: string | undefined;
}

/** What to write about a ZipJob as the API server has it; undefined for nothing. */
function toBatchJob(
  { config, clock }: StoreBatchOptions,
  { key, zipJob, owner, message }: Found,
): BatchJob | undefined {
  const step = archiving(zipJob, owner?.projectUid, { settings: config, now: clock.date() });
  if (step.kind === 'nothing') return undefined;
  if (step.kind === 'refuse')
    return { key, zipJob, isFinal: true, refusal: { reason: step.reason, ...defined({ message }) } };
  const early = step.isFinal ? {} : { isEarly: true };
  return {
    key,
    zipJob,
    isFinal: step.isFinal,
    ...(owner && { entry: { ...toHistoryEntry(zipJob, owner), ...early } }),
  };
}

function takeKeys({ next }: BatchSource, most: number): readonly ObjectKey[] {
  const keys: ObjectKey[] = [];
  while (keys.length < most) {
    const key = next();
    if (key === undefined) break;
    keys.push(key);
  }
  return keys;
}

interface Batch {
  readonly jobs: readonly BatchJob[];
  /** Jobs about which there is nothing to write. */
  readonly ended: readonly Stored[];
}

interface Read {
  readonly key: ObjectKey;
  /** Absent if there is nothing to write about it. */
  readonly job?: BatchJob | undefined;
  readonly error?: unknown;
}

async function read(options: StoreBatchOptions, key: ObjectKey, signal: AbortSignal): Promise<Read> {
  const namespace = namespaceOf(key);
  try {
    const zipJob = await options.zipJobs.get(namespace, key.slice(namespace.length + 1), signal);
    if (!zipJob) return { key };
    return { key, job: toBatchJob(options, { key, zipJob, ...(await options.ownerOf(zipJob, signal)) }) };
  } catch (error) {
    signal.throwIfAborted();
    return { key, error };
  }
}

/** True for an error of the API server, not of what one ZipJob contains. */
function isOfServer(error: unknown): boolean {
  return isKubeError(error) && !isKubeError(error, 'InvalidResponse');
}

/**
 * A job that cannot be read must not keep the others out.
 * @throws the error of the API server if it returned no job of the batch
 */
function checkRead(reads: readonly Read[], isFirst: boolean): void {
  const failed = reads.find(({ error }) => isOfServer(error));
  if (failed && isFirst && reads.every(({ error }) => error !== undefined)) throw failed.error;
}

function unreadable({ log, metrics }: StoreBatchOptions, { key, error }: Read): Stored {
  metrics.history.writeFailures.inc({ reason: 'Internal' });
  log.warn({ err: toError(error), key }, 'could not read a finished job for the history, will retry');
  return { key, kind: 'later' };
}

/** Reads the next jobs until the batch is full. The limit of bytes is exceeded by one round of reads at most. */
async function readBatch(options: StoreBatchOptions, source: BatchSource): Promise<Batch> {
  const { config } = options;
  const jobs: BatchJob[] = [];
  const ended: Stored[] = [];
  let bytes = 0;
  while (jobs.length < config.archiveBatchRows && bytes < config.archiveBatchBytes) {
    const keys = takeKeys(source, Math.min(config.archiveConcurrency, config.archiveBatchRows - jobs.length));
    if (keys.length === 0) break;
    const reads = await Promise.all(keys.map((key) => read(options, key, source.signal)));
    checkRead(reads, jobs.length + ended.length === 0);
    for (const one of reads) {
      if (one.error !== undefined) ended.push(unreadable(options, one));
      else if (!one.job) ended.push({ key: one.key, kind: 'done' });
      else {
        jobs.push(one.job);
        bytes += cachedBytesOf(one.job.zipJob);
      }
    }
  }
  return { jobs, ended };
}

/**
 * The rows first, then the condition: a ZipJob says that it is archived only once its row is committed. If the process dies
 * in between, the row is written again with the same key.
 */
export function createStoreBatch(options: StoreBatchOptions): StoreBatch {
  return async (source) => {
    if (source.isRetry) await options.writes.probe(source.signal);
    const { jobs, ended } = await readBatch(options, source);
    const written = await writeEntries(options, jobs);
    return [...ended, ...(await writeConditions(options, written))];
  };
}
