import type { ZipJob } from '#crds/zip-job.ts';
import { toHistoryEntry } from '#runtime/history/archived-form.ts';
import { namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { cachedBytesOf } from '../kube-state/skeletons.ts';
import { archiving } from '../zip-job/policies/archiving.ts';
import type { BatchJob, BatchSource, StoreBatch, StoreBatchOptions, Stored } from './batch.ts';
import { writeConditions } from './write-conditions.ts';
import { writeEntries } from './write-entries.ts';

/** What to write about a ZipJob as the API server has it; undefined for nothing. */
const toBatchJob = (
  { config, ownerOf, clock }: StoreBatchOptions,
  key: ObjectKey,
  zipJob: ZipJob | undefined,
): BatchJob | undefined => {
  const owner = ownerOf(namespaceOf(key));
  const step = archiving(zipJob, owner?.projectUid, { settings: config, now: clock.date() });
  if (!zipJob || step.kind === 'nothing') return undefined;
  if (step.kind === 'refuse') return { key, zipJob, isFinal: true, refusal: { reason: step.reason } };
  return { key, zipJob, isFinal: step.isFinal, ...(owner && { entry: toHistoryEntry(zipJob, owner) }) };
};

const takeKeys = ({ next }: BatchSource, most: number): readonly ObjectKey[] => {
  const keys: ObjectKey[] = [];
  while (keys.length < most) {
    const key = next();
    if (key === undefined) break;
    keys.push(key);
  }
  return keys;
};

interface Batch {
  readonly jobs: readonly BatchJob[];
  /** Jobs about which there is nothing to write. */
  readonly ended: readonly Stored[];
}

/** Reads the next jobs until the batch is full. The limit of bytes is exceeded by one round of reads at most. */
const readBatch = async (options: StoreBatchOptions, source: BatchSource): Promise<Batch> => {
  const { config, zipJobs } = options;
  const jobs: BatchJob[] = [];
  const ended: Stored[] = [];
  let bytes = 0;
  while (jobs.length < config.archiveBatchRows && bytes < config.archiveBatchBytes) {
    const keys = takeKeys(source, Math.min(config.archiveConcurrency, config.archiveBatchRows - jobs.length));
    if (keys.length === 0) break;
    const read = keys.map(async (key) => {
      const namespace = namespaceOf(key);
      const zipJob = await zipJobs.get(namespace, key.slice(namespace.length + 1), source.signal);
      return { key, job: toBatchJob(options, key, zipJob) };
    });
    for (const { key, job } of await Promise.all(read)) {
      if (!job) ended.push({ key, kind: 'done' });
      else {
        jobs.push(job);
        bytes += cachedBytesOf(job.zipJob);
      }
    }
  }
  return { jobs, ended };
};

/**
 * The rows first, then the condition: a ZipJob says that it is archived only once its row is committed. If the process dies
 * in between, the row is written again with the same key.
 */
export const createStoreBatch =
  (options: StoreBatchOptions): StoreBatch =>
  async (source) => {
    if (source.isRetry) await options.writes.probe(source.signal);
    const { jobs, ended } = await readBatch(options, source);
    const written = await writeEntries(options, jobs);
    return [...ended, ...(await writeConditions(options, written))];
  };
