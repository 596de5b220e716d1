import { failureHelp } from '#administration/errors/failure-help.ts';
import { timelineOf } from '#administration/jobs/job-timeline.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { sizeText } from '#administration/projects/size-text.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import { toFields, toTable } from './table.ts';

/** Formats an age like kubectl: `45s`, `12m`, `3h`, `5d`. */
function ageText(at: string | null, now: Date): string | null {
  if (at === null) return null;
  const seconds = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

function sizeOrNone(bytes: number | undefined): string | null {
  return bytes === undefined ? null : sizeText(bytes);
}

function filesText({ progress, files }: Job): string {
  return `${progress?.filesDone ?? 0}/${files.count}`;
}

const COLUMNS = ['NAME', 'PHASE', 'REASON', 'FILES', 'BYTES', 'BUCKET', 'ATTEMPTS', 'DURATION', 'AGE'];
const WIDE_COLUMNS = ['KEY', 'NODE', 'WEBHOOK', 'MESSAGE'];

export interface ListStyle {
  readonly isWide: boolean;
  readonly withProject: boolean;
  readonly now: Date;
}

/** The same columns that kubectl prints. */
export function jobTable(jobs: readonly Job[], { isWide, withProject, now }: ListStyle): string {
  return toTable(
    [...(withProject ? ['PROJECT'] : []), ...COLUMNS, ...(isWide ? WIDE_COLUMNS : [])],
    jobs.map((job) => [
      ...(withProject ? [job.project] : []),
      job.name,
      job.phase,
      job.reason,
      filesText(job),
      sizeOrNone(job.progress?.bytesUploaded),
      `${job.service}/${job.bucketName}`,
      job.attemptsTotal,
      job.duration,
      ageText(job.createdAt, now),
      ...(isWide ? [job.key, job.node, job.webhook?.state ?? null, job.message] : []),
    ]),
  );
}

function failingFile({ failure }: Job): string | null {
  if (failure === null || failure.fileIndex === null) return null;
  return failure.filename === null ? `${failure.fileIndex}` : `${failure.fileIndex} (${failure.filename})`;
}

const LISTS = { inline: 'in the job', stored: 'stored', deleted: 'deleted' } as const;

function bytesText({ progress }: Job): string | null {
  if (progress === null) return null;
  const total = progress.bytesTotal === undefined ? '' : ` of ${sizeText(progress.bytesTotal)}`;
  return `${sizeText(progress.bytesRead)} read${total}, ${sizeText(progress.bytesUploaded)} uploaded`;
}

function webhookText({ webhook }: Job): string | null {
  if (webhook === null) return null;
  const next = webhook.nextAttemptAt === undefined ? '' : `, next attempt at ${webhook.nextAttemptAt}`;
  return `${webhook.state}, attempts: ${webhook.attempts ?? 0}${webhook.state === 'Pending' ? next : ''}`;
}

type Rows = readonly (readonly [string, string | number | null])[];

/** Why the job ended without an archive, and the next step. */
function failureText(job: Job): Rows {
  const reason = failureReasonOf(job);
  if (reason === null) return [];
  const help = failureHelp(reason);
  // A zipper may have reported another failure before the one that ended the job.
  const failure = job.failure?.code === reason ? job.failure : null;
  return [
    ['Failure', reason],
    ...(help === undefined ? [] : ([['Why', help.words]] as const)),
    ...(failure === null
      ? []
      : ([
          ['Failing file', failingFile(job)],
          ['HTTP status', failure.httpStatus],
        ] as const)),
    ...(help === undefined ? [] : ([['Next step', help.remedy]] as const)),
  ];
}

function sourceCheckText({ sourceCheck, files }: Job): Rows {
  if (sourceCheck === null) return [];
  const { failed, checked, bytes, lengths } = sourceCheck;
  return [
    ['Failing files', `${failed} of ${files.count}, ${checked} checked`],
    ...(lengths === 0 ? [] : ([['Predicted size', `${sizeText(bytes)}, ${lengths} files`]] as const)),
  ];
}

/** The failing files; empty without any. */
function failuresTable({ sourceCheck }: Job): readonly string[] {
  const { failures, failed } = sourceCheck ?? { failures: [], failed: 0 };
  if (failures.length === 0) return [];
  const isNamed = failures.some(({ filename }) => filename !== null);
  const rest = failed - failures.length;
  return [
    toTable(
      ['FILE', ...(isNamed ? ['NAME'] : []), 'HTTP', 'CODE', 'REASON'],
      failures.map(({ fileIndex, filename, httpStatus, code }) => [
        fileIndex,
        ...(isNamed ? [filename] : []),
        httpStatus,
        code,
        failureHelp(code)?.words ?? null,
      ]),
    ),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    '',
  ];
}

function endText(job: Job): Rows {
  return [
    ...failureText(job),
    ...sourceCheckText(job),
    ...(job.archive === null
      ? []
      : ([
          ['Archive', `${sizeText(job.archive.bytes)}, ${job.archive.entries} files`],
          ['SHA-256', job.archive.sha256 ?? null],
          ['Skipped files', job.archive.skipped?.length ?? 0],
        ] as const)),
  ];
}

/** All details of one job: its status, the reason and its history. */
export function jobText(job: Job): string {
  return [
    toFields([
      ['Job', job.name],
      ['ID', job.id],
      ['Project', job.project],
      ['Phase', job.phase],
      ['Reason', job.reason],
      ['Message', job.message],
      ['Bucket', `${job.service}/${job.bucketName}`],
      ['Key', job.key],
      ['Files', filesText(job)],
      ['File list', LISTS[job.files.list]],
      ['Bytes', bytesText(job)],
      ...endText(job),
      ['Attempts', job.attemptsTotal],
      ['Duration', job.duration],
      ['Webhook', webhookText(job)],
      ...(job.runAgainOf === null ? [] : ([['Rerun of', job.runAgainOf]] as const)),
    ]),
    '',
    ...failuresTable(job),
    toTable(
      ['TIME', 'EVENT', 'DETAIL'],
      timelineOf(job).map(({ at, what, detail }) => [at, what, detail]),
    ),
  ].join('\n');
}

/** One line of progress. */
export function progressText(job: Job): string {
  return [
    job.name,
    job.phase ?? 'Queued',
    filesText(job),
    sizeText(job.progress?.bytesUploaded ?? 0),
    job.reason,
  ]
    .filter((part) => part !== null)
    .join('  ');
}
