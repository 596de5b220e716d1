import { AppError, toError } from '#runtime/errors.ts';
import { jobFacts } from '../zip-job/job-facts.ts';
import type { BatchJob, StoreBatchOptions } from './batch.ts';

const codeOf = (error: unknown): string => (error instanceof AppError ? error.code : 'Internal');

const write = async ({ writes }: StoreBatchOptions, jobs: readonly BatchJob[]): Promise<void> => {
  const entries = jobs.flatMap(({ entry }) => entry ?? []);
  if (entries.length > 0) await writes.write(entries);
};

const refused = ({ log }: StoreBatchOptions, job: BatchJob, error: unknown): BatchJob => {
  log.error({ err: toError(error), ...jobFacts(job.zipJob) }, 'the history database refused a job');
  return { ...job, refusal: { reason: 'ArchiveRefused', message: toError(error).message } };
};

/** A row that the database refuses must not keep the others out. */
const writeEach = async (
  options: StoreBatchOptions,
  jobs: readonly BatchJob[],
): Promise<readonly BatchJob[]> => {
  const written: BatchJob[] = [];
  for (const job of jobs)
    try {
      await write(options, [job]);
      written.push(job);
    } catch (error) {
      if (codeOf(error) !== 'HistoryRefused') throw error;
      written.push(refused(options, job, error));
    }
  return written;
};

/** Writes the rows of the batch in one transaction. Returns the jobs, those that the database refuses with its reason. */
export const writeEntries = async (
  options: StoreBatchOptions,
  jobs: readonly BatchJob[],
): Promise<readonly BatchJob[]> => {
  const { history } = options.metrics;
  let all = jobs;
  try {
    await write(options, jobs);
  } catch (error) {
    const reason = codeOf(error);
    history.writeFailures.inc({ reason });
    if (reason !== 'HistoryRefused') throw error;
    all = await writeEach(options, jobs);
  }
  history.written.inc(all.filter(({ entry, refusal }) => entry && !refusal).length);
  return all;
};
