import { AppError, toError } from '#runtime/errors.ts';
import { jobFacts } from '../zip-job/job-facts.ts';
import type { BatchJob, StoreBatchOptions } from './batch.ts';

function codeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'Internal';
}

async function write({ writes }: StoreBatchOptions, jobs: readonly BatchJob[]): Promise<void> {
  const entries = jobs.flatMap(({ entry }) => entry ?? []);
  if (entries.length > 0) await writes.write(entries);
}

/** Errors of one row. After any other error, nothing is known about the rows. */
const ROW_CODES: ReadonlySet<string> = new Set(['HistoryRefused', 'HistoryClockDiffers']);

/** The status has no details: they name the database, and users of the project may read it. */
function refused({ log }: StoreBatchOptions, job: BatchJob, error: unknown): BatchJob {
  log.error({ err: toError(error), ...jobFacts(job.zipJob) }, 'the history database refused a job');
  return { ...job, refusal: { reason: 'ArchiveRefused' } };
}

function deferred({ log }: StoreBatchOptions, [job, error]: readonly [BatchJob, unknown]): BatchJob {
  const facts = { err: toError(error), ...jobFacts(job.zipJob) };
  log.warn(facts, 'could not store a finished job in the history, will retry');
  return { ...job, isDeferred: true };
}

/**
 * A row that the database refuses must not keep the others out.
 * @throws the first error if all rows are too far from the clock of the database
 */
async function writeEach(
  options: StoreBatchOptions,
  jobs: readonly BatchJob[],
): Promise<readonly BatchJob[]> {
  const written: BatchJob[] = [];
  const deferrals: (readonly [BatchJob, unknown])[] = [];
  for (const job of jobs)
    try {
      await write(options, [job]);
      written.push(job);
    } catch (error) {
      const code = codeOf(error);
      if (!ROW_CODES.has(code)) throw error;
      if (code === 'HistoryRefused') written.push(refused(options, job, error));
      else deferrals.push([job, error]);
    }
  // Then the clock is wrong, not a job, and the next batch waits.
  if (written.length === 0 && deferrals[0]) throw deferrals[0][1];
  return [...written, ...deferrals.map((deferral) => deferred(options, deferral))];
}

/**
 * Writes the rows of the batch in one transaction. Returns the jobs: those that the database refuses with a reason, and those that it
 * cannot store yet as deferred.
 */
export async function writeEntries(
  options: StoreBatchOptions,
  jobs: readonly BatchJob[],
): Promise<readonly BatchJob[]> {
  const { history } = options.metrics;
  let all = jobs;
  try {
    await write(options, jobs);
  } catch (error) {
    const reason = codeOf(error);
    history.writeFailures.inc({ reason });
    if (!ROW_CODES.has(reason)) throw error;
    all = await writeEach(options, jobs);
  }
  history.written.inc(all.filter((job) => job.entry && !job.refusal && job.isDeferred !== true).length);
  return all;
}
