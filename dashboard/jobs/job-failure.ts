import { failureCause } from '#administration/errors/failure-cause.ts';
import { failureHelp, type Retry, remedyFor } from '#administration/errors/failure-help.ts';
import { meaningOf } from '#administration/errors/meaning-of.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import type { KnownSources } from './known-sources.ts';
import type { Reruns } from './reruns.ts';

/** Why a job ended without an archive: the panel at the top of its page. */
export interface FailurePanel {
  readonly code: string;
  /** What happened, as a sentence that names the file. The code for a reason that this version does not know. */
  readonly cause: string;
  /** The next step; empty for a reason that this version does not know. */
  readonly remedy: string;
  /** Host of the file that ended the job; empty if unknown. */
  readonly host: string;
  /** The words of the process that reported the failure; empty if the cause says the same. */
  readonly message: string;
}

/** The cause has the status of the response, and the file. */
const REPEATED = /^the source responded with status \d+$/;

/** Without the index of the file, which counts from 0. */
function messageOf(text: string, isAboutFile: boolean): string {
  const message = isAboutFile ? text.replace(/^file \d+: /, '') : text;
  return REPEATED.test(message) ? '' : message;
}

interface Cause {
  readonly text: string;
  readonly host: string;
  readonly message: string;
}

type Failure = NonNullable<Job['failure']>;

/** Undefined for a failure that is not about a file. */
function causeOfFile(failure: Failure, { files }: Job, sources: KnownSources): Cause | undefined {
  const { fileIndex } = failure;
  if (fileIndex === null) return undefined;
  const source = sources.get(fileIndex);
  const text = failureCause({ ...failure, fileIndex }, { files: files.count, source });
  if (text === undefined) return undefined;
  return { text, host: source?.host ?? '', message: messageOf(failure.message ?? '', true) };
}

function causeOf(code: string, job: Job, sources: KnownSources): Cause {
  // A zipper may have reported another failure before the one that ended the job.
  const failure = job.failure?.code === code ? job.failure : null;
  const about = failure && causeOfFile(failure, job, sources);
  const message = failure?.message ?? job.message ?? '';
  return about ?? { text: failureHelp(code)?.words ?? code, host: '', message: messageOf(message, false) };
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
  const { text, host, message } = causeOf(code, job, sources);
  const remedy = remedyFor(code) ?? '';
  const canRunAgain = !isArchived && job.files.list !== 'deleted';
  return {
    code,
    cause: text,
    remedy: canRunAgain ? remedy : withoutRerun(remedy),
    host,
    message: [code, text, meaningOf(code)].includes(message) ? '' : message,
  };
}

/** Whether a rerun helps, and what a page recommends for a finished job. */
export interface RerunAdvice {
  /** The action that helps next; undefined if none is needed. */
  readonly next: 'run-again' | 'new-job' | undefined;
  /** False if a rerun would fail in the same way. */
  readonly canHelp: boolean;
  /** Why a rerun is not the next step; empty if there is nothing to say. */
  readonly note: string;
}

/** Only another request helps: with other files, another key or another bucket. */
const CHANGES_REQUEST: readonly string[] = [
  'SourceNotFound',
  'SourceTooLarge',
  'SourceMismatch',
  'SourceInvalid',
  'SourceTlsError',
  'ArchiveTooLarge',
  'ObjectExists',
  'BucketTerminating',
  'BucketDeleted',
];

const ADVICE: Readonly<Record<Retry, RerunAdvice>> = {
  now: { next: 'run-again', canHelp: true, note: '' },
  'after-remedy': {
    next: undefined,
    canHelp: true,
    note: 'Running it again sends the same request. Fix the cause first.',
  },
  never: {
    next: 'new-job',
    canHelp: false,
    note: 'A rerun sends the same request, so it would fail in the same way. Send a new request instead.',
  },
};

function noteOnReruns({ rows }: Reruns): string {
  if (rows.some(({ phase }) => phase === 'Succeeded')) return 'A rerun of this job has succeeded.';
  return rows.some(({ isFinished }) => !isFinished) ? 'A rerun of this job is in progress.' : '';
}

export function rerunAdvice(job: Pick<Job, 'phase' | 'reason' | 'failure'>, reruns: Reruns): RerunAdvice {
  const code = failureReasonOf(job);
  if (code === null) return { next: undefined, canHelp: true, note: '' };
  const advice = ADVICE[failureHelp(code)?.retry ?? 'now'];
  const note = noteOnReruns(reruns);
  if (note !== '') return { ...advice, next: undefined, note };
  return CHANGES_REQUEST.includes(code) ? { ...advice, next: 'new-job' } : advice;
}
