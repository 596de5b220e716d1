import { meaningOf } from '#administration/errors/meaning-of.ts';
import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import { type Moment, timelineOf } from '#administration/jobs/job-timeline.ts';
import { type Job, toJob } from '#administration/jobs/job-view.ts';
import { bytesReadText, percentDone, speedTexts } from '#administration/jobs/progress-text.ts';
import { DEFAULT_ENDPOINT, endpointsOf, type Named } from '#crds/webhook-endpoints.ts';
import { isFinished, type Phase, SPEC_DEFAULTS, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import { redactText } from '#runtime/log/redact.ts';
import { bucketHref } from '../buckets/bucket-paths.ts';
import { reasonOf } from '../live/listed-job.ts';
import type { Sample } from '../live/progress-samples.ts';
import { FORMAT } from '../ui/format.ts';
import type { Look } from '../ui/words.ts';
import { type FailingFiles, failingFilesOf } from './failing-files.ts';
import { type FailurePanel, failurePanel } from './job-failure.ts';
import { lookOf, type ProgressBar } from './job-progress.ts';
import { inlineSources, type KnownSources } from './known-sources.ts';
import { type ProgressChart, progressChart } from './progress-chart.ts';
import { stagesOf } from './stages/job-stages.ts';
import { type StageRow, stageRows } from './stages/stage-rows.ts';

/** A name and its value, which may be a link, or a time (RFC 3339). */
export type Fact =
  | { readonly name: string; readonly value: string; readonly href?: string }
  | { readonly name: string; readonly at: string };

export interface DeliveryRow {
  readonly at: string;
  readonly response: string;
  readonly isGood: boolean;
  readonly took: string;
}

/** The state of a job in a few sentences. */
export interface Summary {
  readonly text: string;
  /** What it waits for, as a code; otherwise empty. */
  readonly code: string;
  /** The files that are not in the archive; empty if all are. */
  readonly skipped: string;
}

/** Everything that the page of a job shows. Each fact is in one place of it. */
export interface JobDetails {
  readonly job: Job;
  readonly phase: Phase;
  readonly look: Look;
  readonly summary: Summary;
  /** Undefined unless the job is running and has written progress. */
  readonly progress: ProgressBar | undefined;
  readonly chart: ProgressChart | undefined;
  readonly facts: readonly Fact[];
  /** Names that only operators need. */
  readonly kubernetes: readonly Fact[];
  /** Why it failed or was cancelled; undefined otherwise. */
  readonly failure: FailurePanel | undefined;
  /** Undefined if none is known. */
  readonly failingFiles: FailingFiles | undefined;
  readonly stages: readonly StageRow[];
  /** The conditions, attempts and deliveries as the status has them, oldest first. */
  readonly timeline: readonly Moment[];
  readonly deliveries: readonly DeliveryRow[];
  /** State of the webhook; empty when there is none. */
  readonly webhook: readonly Fact[];
  /** As the caller sent it; empty for an empty object. */
  readonly metadata: string;
  /** Whether the job or its webhook can still change. */
  readonly isLive: boolean;
  /** How often an open page is refreshed; undefined for the default of the page. */
  readonly liveEveryMs: number | undefined;
}

/** Of a finished job only the webhook and the record of the last attempt change, the webhook for up to three days. */
const FINISHED_EVERY_MS = 30_000;

const MOST_SKIPPED = 50;

/** Leaves out unknown values. */
function known(...facts: readonly (readonly [string, string | number | null | undefined])[]): Fact[] {
  return facts.flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [{ name, value: String(value) }],
  );
}

/** Leaves out unknown times. */
function knownTimes(...facts: readonly (readonly [string, string | null | undefined])[]): Fact[] {
  return facts.flatMap(([name, at]) => (at === null || at === undefined ? [] : [{ name, at }]));
}

/** `2 of 12 files were skipped: files 3 and 9 of the list.` Counted from 1. */
function skippedText({ archive, files }: Job): string {
  const skipped = archive?.skipped ?? [];
  if (skipped.length === 0) return '';
  const numbers = firstOf(
    skipped.map((index) => index + 1),
    MOST_SKIPPED,
  );
  return `${FORMAT.number(skipped.length)} of ${FORMAT.count(files.count, 'file')} skipped: ${skipped.length === 1 ? 'file' : 'files'} ${numbers}`;
}

/** `4 of 12 files, 35.3 MiB of 95.4 MiB`. */
function progressText(progress: NonNullable<Job['progress']>): string {
  const { filesDone, filesTotal } = progress;
  return `${FORMAT.number(filesDone)} of ${FORMAT.count(filesTotal, 'file')}, ${bytesReadText(progress)}`;
}

/** The message of a job that succeeded has its size in bytes and its key, which is the title. */
function summaryOf(job: Job, { status = {} }: ZipJob): Summary {
  const { archive, progress, message, reason } = job;
  const code = isFinished({ status }) ? '' : reasonOf({ status });
  const size = archive && `${FORMAT.count(archive.entries, 'file')}, ${FORMAT.bytes(archive.bytes)}`;
  const done = code === '' && progress ? progressText(progress) : null;
  return { text: size ?? done ?? message ?? meaningOf(reason ?? ''), code, skipped: skippedText(job) };
}

/** Of a finished job: the stages have how long a running one has been running. */
function durationOf({ startedAt, finishedAt }: Job): string | null {
  return startedAt === null || finishedAt === null
    ? null
    : FORMAT.duration(Date.parse(finishedAt) - Date.parse(startedAt));
}

function factsOf(job: Job): readonly Fact[] {
  const { project, service, bucketName, archive, files } = job;
  return [
    {
      name: 'Bucket',
      value: bucketName,
      href: bucketHref(project, { service, bucketName }),
    },
    ...known(['Provider', service === 's3' ? 'S3' : 'R2']),
    ...(archive?.entries === files.count || (job.progress && job.finishedAt === null)
      ? []
      : known(['Files', FORMAT.number(files.count)])),
    ...knownTimes(['Finished', job.finishedAt]),
    ...known(
      ['Duration', durationOf(job)],
      ['Created with token', job.createdBy],
      ['ETag', archive?.etag],
      ['SHA-256', archive?.sha256],
      ['Upload resumed', archive?.resumes ? FORMAT.count(archive.resumes, 'time') : undefined],
    ),
  ];
}

function kubernetesFacts(job: Job, { status = {} }: ZipJob): readonly Fact[] {
  return known(
    ['ZipJob', job.name],
    ['Kubernetes Job', status.job?.name],
    ['Pod', status.job?.podName],
    ['Node', job.node],
    ['Reason', job.reason],
    ['Status in the API', job.apiStatus],
    ['File index', job.failure?.fileIndex],
  );
}

const WEBHOOK_WORDS = { Pending: 'Being sent', Delivered: 'Delivered', Exhausted: 'Not delivered' } as const;

function deliveryFacts({ name, ...delivery }: WebhookState & Named, isOne: boolean): readonly Fact[] {
  if (delivery.state === 'NotConfigured') return [];
  return [
    ...known(
      ['Endpoint', isOne ? null : name],
      ['State', WEBHOOK_WORDS[delivery.state]],
      ['Attempts', delivery.attempts],
    ),
    ...knownTimes(['Next attempt', delivery.nextAttemptAt]),
    ...known(['Message ID', delivery.deliveryId]),
  ];
}

function webhookOf({ webhook }: Job): readonly Fact[] {
  const endpoints = endpointsOf<WebhookState>(webhook ?? undefined);
  return endpoints.flatMap((delivery) => deliveryFacts(delivery, endpoints.length === 1));
}

function deliveriesOf({ webhook }: Job): readonly DeliveryRow[] {
  return endpointsOf<WebhookState>(webhook ?? undefined)
    .flatMap(({ name, log = [] }) =>
      log.map((delivery) => ({
        at: delivery.at,
        response:
          name === DEFAULT_ENDPOINT ? deliveryResponse(delivery) : `${name}: ${deliveryResponse(delivery)}`,
        isGood: delivery.status !== undefined && delivery.status >= 200 && delivery.status < 300,
        took: `${FORMAT.number(delivery.durationMs)} ms`,
      })),
    )
    .toSorted((a, b) => a.at.localeCompare(b.at));
}

function redacted(moment: Moment): Moment {
  return { ...moment, detail: redactText(moment.detail) };
}

/** `37 %, 80.2 MiB/s, about 20 s left`: the only place with the speed of now. */
function progressOf({ progress }: Job, everySeconds: number | undefined): ProgressBar | undefined {
  if (progress === null) return undefined;
  const percent = percentDone(progress);
  return {
    percent,
    text: [
      `${percent} %`,
      ...speedTexts(progress),
      // The figures are as old as the last update.
      ...(everySeconds === undefined ? [] : [`updated every ${FORMAT.duration(everySeconds * 1000)}`]),
    ].join(', '),
  };
}

function isLive(zipJob: ZipJob): boolean {
  return !isFinished(zipJob) || awaitsWebhookOrExit(zipJob);
}

/** What the page of a job knows beside the ZipJob. */
export interface JobContext {
  readonly samples: readonly Sample[];
  readonly now: Date;
  /** Failing files of a stored file list. */
  readonly sources: KnownSources;
  /** Whether the job is from the history. */
  readonly isArchived: boolean;
}

export function jobDetails(zipJob: ZipJob, { samples, now, sources, isArchived }: JobContext): JobDetails {
  const job = toJob(zipJob);
  const phase = job.phase ?? 'Queued';
  const isOver = isFinished(zipJob);
  const failing = sources.size > 0 ? sources : inlineSources(zipJob);
  const metadata = zipJob.spec.metadata ?? SPEC_DEFAULTS.metadata;
  return {
    job,
    phase,
    look: lookOf(phase),
    summary: summaryOf(job, zipJob),
    progress: isOver ? undefined : progressOf(job, zipJob.status?.progressIntervalSeconds),
    chart: progressChart(samples),
    facts: factsOf(job),
    kubernetes: kubernetesFacts(job, zipJob),
    failure: failurePanel(job, failing, { isArchived }),
    failingFiles: failingFilesOf(job, failing),
    stages: stageRows(stagesOf(zipJob), now),
    timeline: timelineOf(job).map(redacted),
    deliveries: deliveriesOf(job),
    webhook: webhookOf(job),
    metadata: metadata === SPEC_DEFAULTS.metadata ? '' : metadata,
    isLive: isLive(zipJob),
    liveEveryMs: isOver ? FINISHED_EVERY_MS : undefined,
  };
}
