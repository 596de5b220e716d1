import { failureHelp } from '#administration/errors/failure-help.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import { type FailingFileRow, failingFileRow } from './failing-files.ts';
import type { KnownSources } from './known-sources.ts';
import type { Reruns } from './reruns.ts';

/** Why a job ended without an archive: the panel at the top of its page. */
export interface FailurePanel {
  readonly code: string;
  /** What happened, in plain words; empty for a reason that this version does not know. */
  readonly words: string;
  /** The next step; empty for a reason that this version does not know. */
  readonly remedy: string;
  /** The file that ended the job. */
  readonly file: FailingFileRow | undefined;
  /** The words of the process that reported the failure. */
  readonly message: string;
}

const UNKNOWN = { words: '', remedy: '' };

/** The file of a failure, if it has one. */
function fileOf(failure: Job['failure'], sources: KnownSources): FailingFileRow | undefined {
  const fileIndex = failure?.fileIndex ?? null;
  return failure === null || fileIndex === null
    ? undefined
    : failingFileRow({ ...failure, fileIndex }, sources);
}

/** Of a job that cannot run again, because only its file list has the URLs. */
function withoutRerun(remedy: string): string {
  return remedy
    .replace('Run the job again', 'Send the request again')
    .replace('run the job again', 'send the request again');
}

/** Undefined for a job that did not fail and was not cancelled. */
export function failurePanel(
  job: Job,
  sources: KnownSources,
  { isArchived }: { readonly isArchived: boolean },
): FailurePanel | undefined {
  const code = failureReasonOf(job);
  if (code === null) return undefined;
  // A zipper may have reported another failure before the one that ended the job.
  const failure = job.failure?.code === code ? job.failure : null;
  const { words, remedy } = failureHelp(code) ?? UNKNOWN;
  const message = failure?.message ?? job.message ?? '';
  const canRunAgain = !isArchived && job.files.list !== 'deleted';
  return {
    code,
    words,
    remedy: canRunAgain ? remedy : withoutRerun(remedy),
    file: fileOf(failure, sources),
    message,
  };
}

/** Whether a page recommends the rerun of a finished job, and if not, why. */
export interface RerunAdvice {
  readonly isPrimary: boolean;
  /** Why a rerun is not the next step; empty if there is nothing to say. */
  readonly note: string;
}

const NOTES = {
  now: '',
  'after-remedy':
    'A rerun sends the same request to the same bucket, so it helps only after the cause is fixed.',
  never: 'A rerun sends the same request, so it would fail in the same way. Send a new request instead.',
} as const;

function noteOnReruns({ rows }: Reruns): string {
  if (rows.some(({ phase }) => phase === 'Succeeded')) return 'A rerun of this job has succeeded.';
  return rows.some(({ isFinished }) => !isFinished) ? 'A rerun of this job is in progress.' : '';
}

export function rerunAdvice(job: Pick<Job, 'phase' | 'reason' | 'failure'>, reruns: Reruns): RerunAdvice {
  if (job.phase !== 'Failed') return { isPrimary: false, note: '' };
  const note = noteOnReruns(reruns) || NOTES[failureHelp(failureReasonOf(job) ?? '')?.retry ?? 'now'];
  return { isPrimary: note === '', note };
}
