import { failureHelp } from '#administration/errors/failure-help.ts';
import { countText } from '#administration/jobs/count-text.ts';
import { type Moment, timelineOf } from '#administration/jobs/job-timeline.ts';
import type { Job } from '#administration/jobs/job-view.ts';
import { keptUploadText } from '#administration/jobs/kept-upload.ts';
import { bytesReadText, percentDone } from '#administration/jobs/progress-text.ts';
import { sizeText } from '#administration/projects/size-text.ts';
import { zipJobName } from '#crds/api-group.ts';
import { failureReasonOf } from '#crds/job-failures.ts';
import { DEFAULT_ENDPOINT, endpointsOf, overallState } from '#crds/webhook-endpoints.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { durationText } from '#runtime/time/duration-text.ts';
import { phaseMark } from './decoration.ts';
import { type Cell, toFields, toTable } from './table.ts';

function ageText(at: string | null, now: Date): string | null {
  return at === null ? null : durationText(now.getTime() - Date.parse(at));
}

function sizeOrNone(bytes: number | undefined): string | null {
  return bytes === undefined ? null : sizeText(bytes);
}

function filesText({ progress, files }: Job): string {
  return `${progress?.filesDone ?? 0}/${files.count}`;
}

const COLUMNS = ['ID', 'KEY', 'STATE', 'FILES', 'SIZE', 'AGE'];
const WIDE_COLUMNS = ['BUCKET', 'ATTEMPTS', 'DURATION', 'NODE', 'WEBHOOK', 'MESSAGE'];

export interface ListStyle {
  /** With the whole ID. */
  readonly isWide: boolean;
  readonly withProject: boolean;
  readonly isDecorated: boolean;
  /** Characters of an ID. */
  readonly idLength: number;
  readonly now: Date;
}

/** As many as the dashboard shows. */
const SHORT_ID = 8;

/** The number of first characters by which these IDs differ, at least eight. */
export function idLengthOf(jobs: readonly { readonly id: string }[]): number {
  const ids = new Set(jobs.map(({ id }) => id));
  let length = SHORT_ID;
  while (new Set([...ids].map((id) => id.slice(0, length))).size < ids.size) length += 1;
  return length;
}

/** The phase, and why a job waits or failed. */
export function stateMark(
  { phase, reason }: { readonly phase: string | null; readonly reason: string | null },
  isDecorated: boolean,
) {
  const more = reason === null || reason === phase || phase === 'Succeeded' ? '' : ` (${reason})`;
  return phaseMark(phase, { isDecorated, more });
}

export function jobColumns({ isWide, withProject }: ListStyle): readonly string[] {
  return [...(withProject ? ['PROJECT'] : []), ...COLUMNS, ...(isWide ? WIDE_COLUMNS : [])];
}

export function jobRow(
  job: Job,
  { isWide, withProject, isDecorated, idLength, now }: ListStyle,
): readonly Cell[] {
  return [
    ...(withProject ? [job.project] : []),
    isWide ? job.id : job.id.slice(0, idLength),
    job.key,
    stateMark(job, isDecorated),
    filesText(job),
    sizeOrNone(job.archive?.bytes ?? job.progress?.bytesUploaded),
    ageText(job.createdAt, now),
    ...(isWide
      ? [
          `${job.service}/${job.bucketName}`,
          job.attemptsTotal,
          job.duration,
          job.node,
          job.webhook && overallState(job.webhook),
          job.message,
        ]
      : []),
  ];
}

export function jobTable(jobs: readonly Job[], style: ListStyle): string {
  return toTable(
    jobColumns(style),
    jobs.map((job) => jobRow(job, style)),
  );
}

function failingFile({ failure }: Job): string | null {
  if (failure === null || failure.fileIndex === null) return null;
  return failure.filename === null ? `${failure.fileIndex}` : `${failure.fileIndex} (${failure.filename})`;
}

const LISTS = { inline: 'in the job', stored: 'stored', deleted: 'deleted' } as const;

function bytesText({ progress }: Job): string | null {
  if (progress === null) return null;
  const { bytesTotal, bytesUploaded } = progress;
  const percent = bytesTotal === undefined ? '' : ` (${percentDone(progress)} %)`;
  return `${bytesReadText(progress)}${percent} read, ${sizeText(bytesUploaded)} uploaded`;
}

type Rows = readonly (readonly [string, Cell])[];

function deliveryText({ state, attempts = 0, nextAttemptAt }: WebhookState): string {
  const next = nextAttemptAt === undefined ? '' : `, next attempt at ${nextAttemptAt}`;
  return `${state}, attempts: ${attempts}${state === 'Pending' ? next : ''}`;
}

function webhookRows({ webhook }: Job): Rows {
  if (webhook === null) return [['Webhook', null]];
  return endpointsOf<WebhookState>(webhook).map((delivery) => [
    delivery.name === DEFAULT_ENDPOINT ? 'Webhook' : `Webhook ${delivery.name}`,
    deliveryText(delivery),
  ]);
}

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
    ...(lengths === 0
      ? []
      : ([['Predicted size', `${sizeText(bytes)} of ${countText(lengths, 'file')}`]] as const)),
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

function archiveText({ archive }: Job): Rows {
  if (archive === null) return [];
  const { bytes, entries, sha256, skipped = [], resumes = 0 } = archive;
  return [
    ['Archive', `${sizeText(bytes)}, ${countText(entries, 'file')}`],
    ...(sha256 === undefined ? [] : ([['SHA-256', sha256]] as const)),
    ...(skipped.length === 0 ? [] : ([['Skipped files', skipped.length]] as const)),
    ...(resumes === 0 ? [] : ([['Resumed', countText(resumes, 'time')]] as const)),
  ];
}

/** Of a job without a failure: why it waits, or what it does. */
function stateText(job: Job, isDecorated: boolean): Rows {
  const failure = failureText(job);
  return [
    ['Phase', phaseMark(job.phase, { isDecorated })],
    ...(failure.length === 0 && job.phase !== 'Succeeded' ? ([['Reason', job.reason]] as const) : []),
    ...failure.slice(0, 2),
    ...(job.message === null || job.phase === 'Succeeded' ? [] : ([['Message', job.message]] as const)),
    ...failure.slice(2),
  ];
}

function progressRows(job: Job): Rows {
  return [
    ['Files', filesText(job)],
    ...(job.archive === null ? ([['Bytes', bytesText(job)]] as const) : []),
    ...(job.phase === 'Running' ? ([['Expected end', job.progress?.estimatedEndAt ?? null]] as const) : []),
    ...(job.keptUpload === null || job.finishedAt !== null
      ? []
      : ([['Upload', keptUploadText(job.keptUpload)]] as const)),
  ];
}

/** Says a message once: an attempt repeats that of the job. */
function shortened({ detail, ...moment }: Moment, { message }: Job): Moment {
  const end = `: ${message ?? ''}`;
  return {
    ...moment,
    detail: message !== null && detail.endsWith(end) ? detail.slice(0, -end.length) : detail,
  };
}

export interface TextStyle {
  /** Also shows conditions, and the name of the ZipJob. */
  readonly isVerbose?: boolean;
  readonly isDecorated?: boolean;
}

/** All details of one job: its outcome, the reason, what to do, and then what happened when. */
export function jobText(job: Job, { isVerbose = false, isDecorated = false }: TextStyle = {}): string {
  const moments = isVerbose
    ? timelineOf(job)
    : timelineOf({ ...job, conditions: [] }).map((moment) => shortened(moment, job));
  return [
    toFields([
      ['ID', job.id],
      ...(isVerbose || job.name !== zipJobName(job.id) ? ([['ZipJob', job.name]] as const) : []),
      ['Key', job.key],
      ...stateText(job, isDecorated),
      ...sourceCheckText(job),
      ...archiveText(job),
      ...progressRows(job),
      ['Bucket', `${job.service}/${job.bucketName}`],
      ['Project', job.project],
      ['File list', LISTS[job.files.list]],
      ['Attempts', job.attemptsTotal],
      ['Duration', job.duration],
      ...webhookRows(job),
      ...(job.runAgainOf === null ? [] : ([['Rerun of', job.runAgainOf]] as const)),
    ]),
    '',
    ...failuresTable(job),
    toTable(
      ['TIME', 'EVENT', 'DETAIL'],
      moments.map(({ at, what, detail }) => [at, what, detail]),
    ),
  ].join('\n');
}
