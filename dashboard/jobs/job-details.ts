import { meaningOf } from '#administration/errors/meaning-of.ts';
import { deliveryResponse } from '#administration/jobs/delivery-response.ts';
import { type Moment, timelineOf } from '#administration/jobs/job-timeline.ts';
import { type Job, toJob } from '#administration/jobs/job-view.ts';
import { speedTexts } from '#administration/jobs/progress-text.ts';
import { isFinished, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';
import { awaitsWebhookOrExit } from '#crds/zip-job-facts.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import { redactText } from '#runtime/log/redact.ts';
import { type ListedJob, toListedJob } from '../live/listed-job.ts';
import type { Sample } from '../live/progress-samples.ts';
import { FORMAT } from '../ui/format.ts';
import { type FailingFiles, failingFilesOf } from './failing-files.ts';
import { type FailurePanel, failurePanel } from './job-failure.ts';
import { bytesText, filesText, lookOf, type ProgressBar, phaseOf, progressBar } from './job-progress.ts';
import { durationOf } from './job-row.ts';
import { inlineSources, type KnownSources } from './known-sources.ts';
import { type ProgressChart, progressChart } from './progress-chart.ts';
import { stagesOf } from './stages/job-stages.ts';
import { type StageRow, stageRows } from './stages/stage-rows.ts';

/** A name and its value, or a time (RFC 3339). */
export type Fact =
  | { readonly name: string; readonly value: string }
  | { readonly name: string; readonly at: string };

export interface DeliveryRow {
  readonly at: string;
  readonly response: string;
  readonly isGood: boolean;
  readonly took: string;
}

/** Everything that the page of a job shows. */
export interface JobView {
  readonly job: Job;
  readonly phase: string;
  readonly look: string;
  /** One sentence about its state. */
  readonly says: string;
  readonly bar: ProgressBar;
  readonly isRunning: boolean;
  readonly progressText: string;
  readonly chart: ProgressChart | undefined;
  readonly facts: readonly Fact[];
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
  /** As the caller sent it. */
  readonly metadata: string;
  /** Whether the job or its webhook can still change. */
  readonly isLive: boolean;
  /** How often an open page is refreshed; undefined for the default of the page. */
  readonly liveEveryMs: number | undefined;
}

/** Of a finished job only the webhook and the record of the last attempt change, the webhook for up to three days. */
const FINISHED_EVERY_MS = 30_000;

const MOST_INDICES = 50;

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

function indexList(indices: readonly number[] = []): string {
  return indices.length === 0 ? '' : `index ${firstOf(indices, MOST_INDICES)}`;
}

/** The message of a job that succeeded has its size in bytes and its key, which is the title. */
function saysOf({ archive, message, reason }: Job): string {
  return archive === null
    ? (message ?? meaningOf(reason ?? ''))
    : `${FORMAT.count(archive.entries, 'entry', 'entries')}, ${FORMAT.bytes(archive.bytes)}`;
}

function archiveFacts({ archive }: Job): readonly Fact[] {
  return archive === null
    ? []
    : known(
        ['Entries', FORMAT.number(archive.entries)],
        ['Skipped files', indexList(archive.skipped)],
        ['ETag', archive.etag],
        ['SHA-256', archive.sha256],
      );
}

function factsOf(listed: ListedJob, job: Job, now: Date): readonly Fact[] {
  return [
    ...known(
      ['ID', job.id],
      ['ZipJob', job.name],
      ['Bucket', `${job.service} ${job.bucketName}`],
      ['Files', filesText(listed)],
      ['Size', bytesText(listed)],
      ['API status', job.apiStatus],
    ),
    ...knownTimes(['Created', job.createdAt], ['Started', job.startedAt], ['Finished', job.finishedAt]),
    ...known(
      ['Duration', durationOf(listed, now)],
      ['Node', job.node],
      ['Created with token', job.createdBy],
    ),
    ...archiveFacts(job),
  ];
}

function webhookOf({ webhook }: Job): readonly Fact[] {
  return webhook === null || webhook.state === 'NotConfigured'
    ? []
    : [
        ...known(['State', webhook.state], ['Attempts', webhook.attempts]),
        ...knownTimes(['Next attempt', webhook.nextAttemptAt], ['Delivered', webhook.deliveredAt]),
        ...known(['Message ID', webhook.deliveryId]),
      ];
}

function deliveriesOf({ webhook }: Job): readonly DeliveryRow[] {
  return (webhook?.log ?? []).map((delivery) => ({
    at: delivery.at,
    response: deliveryResponse(delivery),
    isGood: delivery.status !== undefined && delivery.status >= 200 && delivery.status < 300,
    took: `${FORMAT.number(delivery.durationMs)} ms`,
  }));
}

function redacted(moment: Moment): Moment {
  return { ...moment, detail: redactText(moment.detail) };
}

/** Text next to the progress bar: `3 of 10 files, 2.0 GiB of 4.1 GiB, 80.2 MiB/s, about 20 s left`. */
function progressText(listed: ListedJob, everySeconds: number | undefined): string {
  const { progress } = listed.status;
  if (progress === undefined || isFinished(listed)) return '';
  return [
    `${filesText(listed)} files`,
    bytesText(listed),
    ...speedTexts(progress),
    // The figures are as old as the last update.
    ...(everySeconds === undefined ? [] : [`updated every ${FORMAT.duration(everySeconds * 1000)}`]),
  ].join(', ');
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

export function jobView(zipJob: ZipJob, { samples, now, sources, isArchived }: JobContext): JobView {
  const job = toJob(zipJob);
  const listed = toListedJob(zipJob);
  const phase = phaseOf(listed);
  const failing = sources.size > 0 ? sources : inlineSources(zipJob);
  return {
    job,
    phase,
    look: lookOf(phase),
    says: saysOf(job),
    bar: progressBar(listed),
    isRunning: !isFinished(listed) && listed.status.progress !== undefined,
    progressText: progressText(listed, zipJob.status?.progressIntervalSeconds),
    chart: progressChart(samples, isFinished(listed)),
    facts: factsOf(listed, job, now),
    failure: failurePanel(job, failing, { isArchived }),
    failingFiles: failingFilesOf(job, failing),
    stages: stageRows(stagesOf(zipJob), now),
    timeline: timelineOf(job).map(redacted),
    deliveries: deliveriesOf(job),
    webhook: webhookOf(job),
    metadata: zipJob.spec.metadata ?? SPEC_DEFAULTS.metadata,
    isLive: isLive(zipJob),
    liveEveryMs: isFinished(zipJob) ? FINISHED_EVERY_MS : undefined,
  };
}
