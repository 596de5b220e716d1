import type { Job } from '#administration/jobs/job-view.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { jobText, type TextStyle } from './job-text.ts';
import type { Output } from './output.ts';
import { createProgressPrinter } from './progress-line.ts';
import type { Session } from './session.ts';
import { waitOptions } from './wait-options.ts';

/** The details of a finished job; the exit code is 0 if it succeeded. */
export function endOf(job: Job, style: TextStyle): Output {
  return {
    value: job,
    text: jobText(job, style),
    exitCode: job.phase === 'Succeeded' ? EXIT_CODES.ok : EXIT_CODES.failed,
  };
}

interface WaitedJob {
  readonly job: string | Job;
  readonly timeout: number;
  readonly verbose?: boolean | undefined;
}

/** Waits until the job finishes, and prints its progress. */
export async function untilEnded({ job, verbose, ...args }: WaitedJob, session: Session): Promise<Output> {
  const jobs = session.administration.jobs(session.namespace);
  const onChange = createProgressPrinter(session.terminal);
  const end = await jobs.untilEnded(job, waitOptions(args, session), onChange);
  return endOf(end, { isVerbose: verbose === true, isDecorated: session.terminal.isDecorated });
}

/** The end of a command that created the job. `name`: by which the hint to wait for it names the job. */
export async function createdOutput(
  { job, text, name }: { readonly job: Job; readonly text: string; readonly name: string },
  args: Omit<WaitedJob, 'job'> & { readonly wait: boolean | undefined },
  session: Session,
): Promise<Output> {
  if (args.wait === true) {
    // Whatever ends the wait, the job exists.
    session.terminal.note(text);
    return untilEnded({ ...args, job }, session);
  }
  return {
    value: job,
    text,
    notes: [`Wait for it with: zipjobs job wait ${name} -n ${job.project}`],
  };
}
