import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { Archiver } from '#controller/history/archiver.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { collectAtScrape } from '#controller/zip-job/metrics-at-scrape.ts';
import { countTransition } from '#controller/zip-job/transition-metrics.ts';
import { REASONS } from '#crds/conditions.ts';
import type { Attempt, Phase, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { withoutProjects } from '#runtime/metrics/project-labels.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { aCondition, anUpload, progressOf } from '#test/support/builders/zip-job-statuses.ts';

function setUp(zipJobs: readonly ZipJob[] = [], archiver?: Pick<Archiver, 'size' | 'oldestMs'>) {
  const registry = new Registry();
  const metrics = createControllerMetrics(registry);
  collectAtScrape(registry, {
    zipJobs: () => zipJobs,
    resting: { counts: () => [{ project: 'acme', phase: 'Failed', count: 3 }] },
    projects: withoutProjects(),
    queues: {},
    defaultDeadlineSeconds: () => 7200,
    heldBuckets: () => 0,
    archiver,
    now: () => NOW,
  });
  function move(before: ZipJobStatus, after: ZipJobStatus): void {
    countTransition(metrics, { project: 'acme', before, after, now: NOW });
  }
  async function series(): Promise<readonly string[]> {
    return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }
  return { registry, move, series };
}

function valueOf(series: readonly string[], name: string): number | undefined {
  const line = series.find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

describe('collectAtScrape with a history', () => {
  it('shows how many jobs the history lacks, and the age of the oldest (G8)', async () => {
    const archiver = { size: 2, oldestMs: () => Date.parse(ago(900)) };
    const series = await setUp([], archiver).series();
    expect(valueOf(series, 'zip_history_pending')).to.equal(2);
    expect(valueOf(series, 'zip_history_oldest_pending_seconds')).to.equal(900);
  });

  it('shows none without a history (G10)', async () => {
    const series = await setUp().series();
    expect(valueOf(series, 'zip_history_pending')).to.equal(0);
    expect(valueOf(series, 'zip_history_oldest_pending_seconds')).to.equal(0);
  });
});

const PHASES: readonly Phase[] = ['Succeeded', 'Failed', 'Cancelled'];
const CLASSES = ['success', 'permanent', 'transient', 'disruption', 'oom', 'superseded'] as const;

/** A finished job whose every text is unique, as a tenant or a hostile zipper could write it. */
function anEnd(n: number): { readonly before: ZipJobStatus; readonly after: ZipJobStatus } {
  const text = `https://tenant-${n}.example/file-${n}?sig=${n}`;
  const attempt: Attempt = {
    n: 1,
    podUid: `uid-${n}`,
    class: CLASSES[n % CLASSES.length] ?? 'success',
    reason: `Reason${n}`,
    message: text,
  };
  const phase = PHASES[n % PHASES.length] ?? 'Failed';
  return {
    before: { phase: 'Finalizing', acceptedAt: ago(60), startedAt: ago(50) },
    after: {
      phase,
      reason: n % 2 === 0 ? `Reason${n}` : 'SourceNotFound',
      message: text,
      acceptedAt: ago(60),
      startedAt: ago(50),
      finishedAt: ago(0),
      job: { name: `zip-${n}`, uid: `uid-${n}`, node: `node-${n}` },
      attempts: [attempt],
      webhook: {
        state: 'Delivered',
        attempts: 1,
        log: [
          { at: ago(0), durationMs: n, ...(n % 5 === 0 ? { error: text } : { status: 200 + (n % 400) }) },
        ],
      },
      result: {
        bytes: n,
        etag: text,
        entries: n,
        seconds: 1,
        peakMemory: n,
        retries: 0,
        contractVersion: 1,
      },
    },
  };
}

describe('countTransition', () => {
  it('creates no series per job for ten thousand jobs with unique texts, and exposes none of the texts (P15)', async () => {
    const { move, series } = setUp();
    function run(from: number, to: number): void {
      for (let n = from; n < to; n += 1) {
        const { before, after } = anEnd(n);
        move(before, after);
      }
    }
    run(0, 2000);
    const first = await series();
    run(2000, 10_000);
    const last = await series();
    expect(last.length).to.equal(first.length);
    expect(last.length).to.be.below(400);
    expect(last.join('\n')).not.to.match(/tenant-|file-|uid-|node-|Reason\d|https?:/);
    const ended = last.filter((line) => line.startsWith('zip_jobs_finished_total'));
    expect(ended.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).to.equal(10_000);
  });

  it('counts a finished job once, even if its finished status is written again', async () => {
    const { move, series } = setUp();
    const { before, after } = anEnd(1);
    move(before, after);
    move(after, after);
    move(after, { ...after, message: 'more' });
    const name = 'zip_jobs_finished_total{project="",result="failed",reason="SourceNotFound",fault="caller"}';
    expect(valueOf(await series(), name)).to.equal(1);
    expect(valueOf(await series(), 'zip_job_attempts_total{class="permanent"}')).to.equal(1);
    expect(valueOf(await series(), 'zip_webhook_deliveries_total{project="",outcome="2xx"}')).to.equal(1);
  });

  it('separates failures of callers from ours, and starts both at zero (X4)', async () => {
    const { move, series } = setUp();
    async function finished(reason: string, fault: string): Promise<number | undefined> {
      return valueOf(
        await series(),
        `zip_jobs_finished_total{project="",result="failed",reason="${reason}",fault="${fault}"}`,
      );
    }
    const faults = { BucketCredentialsInvalid: 'caller', BucketDeleted: 'caller', OutOfMemory: 'operator' };
    for (const [reason, fault] of Object.entries(faults)) {
      expect(await finished(reason, fault)).to.equal(0);
      move({ phase: 'Running' }, { phase: 'Failed', reason });
      expect(await finished(reason, fault)).to.equal(1);
    }
    move({ phase: 'Running' }, { phase: 'Failed', reason: 'SomethingNew' });
    expect(await finished('Other', 'operator')).to.equal(1);
    move({ phase: 'Running' }, { phase: 'Failed', reason: 'Restored' });
    expect(await finished('Restored', 'none')).to.equal(1);
  });

  it('counts each upload that could not be aborted once (U11)', async () => {
    const { move, series } = setUp();
    function of(abortFailures?: number): ZipJobStatus {
      return {
        attempts: [{ n: 1, podUid: 'p', ...(abortFailures !== undefined && { abortFailures }) }],
      };
    }
    move({}, of());
    move(of(), of(1));
    move(of(1), of(1));
    move(of(1), of(3));
    expect(valueOf(await series(), 'zip_upload_abort_failures_total{project=""}')).to.equal(3);
  });

  it('counts webhook attempts by status class, and exhausted deliveries (W19)', async () => {
    const { move, series } = setUp();
    const log = [204, 302, 410, 503, undefined].map((status) => ({
      at: ago(0),
      durationMs: 5,
      ...(status !== undefined && { status }),
    }));
    let before: ZipJobStatus = { phase: 'Succeeded', webhook: { state: 'Pending', attempts: 0 } };
    for (const [index] of log.entries()) {
      const after: ZipJobStatus = {
        phase: 'Succeeded',
        webhook: { state: 'Pending', attempts: index + 1, log: log.slice(0, index + 1) },
      };
      move(before, after);
      before = after;
    }
    move(before, { ...before, webhook: { ...before.webhook, state: 'Exhausted' } });
    // Never sent because its endpoint is disabled.
    move({ webhook: { state: 'Pending', attempts: 0 } }, { webhook: { state: 'Exhausted', attempts: 0 } });
    move({ webhook: { state: 'Exhausted' } }, { webhook: { state: 'Exhausted' } });
    const lines = await series();
    for (const outcome of ['2xx', '3xx', '4xx', '5xx', 'error'])
      expect(
        valueOf(lines, `zip_webhook_deliveries_total{project="",outcome="${outcome}"}`),
        outcome,
      ).to.equal(1);
    expect(valueOf(lines, 'zip_webhooks_exhausted_total{project=""}')).to.equal(2);
  });

  it('counts the attempts at each endpoint (W19)', async () => {
    const { move, series } = setUp();
    const audit = { name: 'audit', state: 'Pending', attempts: 0 } as const;
    const first = { at: ago(0), durationMs: 5, status: 503 };
    const webhook = { state: 'Delivered', attempts: 1, log: [{ ...first, status: 204 }] } as const;
    move(
      { webhook: { ...webhook, endpoints: [audit] } },
      {
        phase: 'Succeeded',
        finishedAt: ago(1),
        webhook: { ...webhook, endpoints: [{ ...audit, state: 'Exhausted', attempts: 1, log: [first] }] },
      },
    );
    const lines = await series();
    expect(valueOf(lines, 'zip_webhook_deliveries_total{project="",outcome="5xx"}')).to.equal(1);
    expect(valueOf(lines, 'zip_webhooks_exhausted_total{project=""}')).to.equal(1);
    expect(valueOf(lines, 'zip_webhook_first_attempt_seconds_count')).to.equal(1);
  });

  it('observes size, files and duration of an archive from its result', async () => {
    const { move, series } = setUp();
    const { before, after } = anEnd(300);
    move(before, after);
    const lines = await series();
    expect(valueOf(lines, 'zip_job_archive_bytes_sum{project=""}')).to.equal(300);
    expect(valueOf(lines, 'zip_job_files_sum')).to.equal(300);
    expect(valueOf(lines, 'zip_job_duration_seconds_sum{result="succeeded"}')).to.equal(50);
  });
});

describe('collectAtScrape', () => {
  const jobs: readonly ZipJob[] = [
    aZipJob(),
    aZipJob({ spec: { suspend: true }, status: { phase: 'Queued', acceptedAt: ago(9000) } }),
    aZipJob({ status: { phase: 'Queued', acceptedAt: ago(700) } }),
    aZipJob({ status: { phase: 'Running', startedAt: ago(7200 + 599) } }),
    aZipJob({ status: { phase: 'Running', startedAt: ago(7200 + 601) } }),
    aZipJob({ status: { phase: 'Succeeded', finishedAt: ago(300), webhook: { state: 'Pending' } } }),
    aZipJob({ status: { phase: 'Succeeded', finishedAt: ago(900), webhook: { state: 'Delivered' } } }),
    aZipJob({
      status: {
        phase: 'Starting',
        conditions: [
          {
            type: 'Waiting',
            status: 'True',
            reason: 'ImagePull',
            message: 'https://tenant.example',
            lastTransitionTime: ago(5),
          },
        ],
      },
    }),
  ];

  it('reports the state of jobs and the oldest webhook from the cache (W19)', async () => {
    const lines = await setUp(jobs).series();
    function reported(name: string): number | undefined {
      return valueOf(lines, name);
    }
    expect(reported('zip_jobs{project="",phase="New"}')).to.equal(1);
    expect(reported('zip_jobs{project="",phase="Queued"}')).to.equal(2);
    expect(reported('zip_jobs{project="",phase="Cancelled"}')).to.equal(0);
    expect(reported('zip_jobs_oldest_queued_seconds{project=""}')).to.equal(700);
    expect(reported('zip_jobs_overdue{project=""}')).to.equal(1);
    expect(reported('zip_webhooks_pending{project=""}')).to.equal(1);
    expect(reported('zip_webhook_oldest_pending_seconds{project=""}')).to.equal(300);
    expect(reported('zip_jobs_stuck{project="",reason="ImagePull"}')).to.equal(1);
  });

  it('counts a job whose recovery cannot continue as stuck (F25)', async () => {
    function recovering(message: string) {
      return aZipJob({
        status: {
          phase: 'Running',
          reason: 'NoProgress',
          conditions: [{ ...aCondition('Recovered', ['False', 'Recovering']), message }],
        },
      });
    }
    const late = 'attempt 1 is recovered as soon as possible, at the latest at noon: QuotaExceeded';
    const lines = await setUp([recovering(late), recovering(REASONS.Recovering)]).series();
    expect(valueOf(lines, 'zip_jobs_stuck{project="",reason="Recovering"}')).to.equal(1);
  });

  it('counts a finished job as stuck whose pod is not known to be gone ten minutes later', async () => {
    function finished(seconds: number, podUid?: string) {
      return aZipJob({
        status: {
          phase: 'Succeeded',
          finishedAt: ago(seconds),
          job: { name: 'j', uid: 'u', ...(podUid !== undefined && { podUid }) },
        },
      });
    }
    const lines = await setUp([finished(599, 'p'), finished(601, 'p'), finished(601)]).series();
    expect(valueOf(lines, 'zip_jobs_stuck{project="",reason="NodeSilent"}')).to.equal(1);
  });

  it('reports zero if there are no jobs', async () => {
    const lines = await setUp().series();
    for (const name of [
      'zip_jobs_oldest_queued_seconds{project=""}',
      'zip_jobs_overdue{project=""}',
      'zip_webhooks_pending{project=""}',
    ])
      expect(valueOf(lines, name)).to.equal(0);
  });
});

describe('countTransition of uploads that outlive their pod', () => {
  const inherits = { uploadId: 'u', owner: 'p1', partSize: 1, checkpoint: 4, resumes: 0 };
  const upload = {
    ...anUpload('open'),
    uploadId: 'u',
    owner: 'p1',
    resumedParts: 3,
    resumedBytes: 300,
    checkpoint: 9,
  };
  const active: ZipJobStatus = {
    job: { name: 'j', uid: 'uid-job', podUid: 'p2' },
    progress: progressOf('p2'),
    inherits,
    upload,
  };
  function seen(series: readonly string[]) {
    return [
      valueOf(series, 'zip_resumes_total{outcome="resumed"}'),
      valueOf(series, 'zip_resumes_total{outcome="refused"}'),
      valueOf(series, 'zip_resumed_bytes_total'),
      valueOf(series, 'zip_checkpoint_writes_total{result="ok"}'),
      valueOf(series, 'zip_checkpoint_writes_total{result="failed"}'),
    ];
  }

  it('starts every series at zero', async () => {
    expect(seen(await setUp().series())).to.deep.equal([0, 0, 0, 0, 0]);
  });

  it('counts a pod that continues an upload once, and the bytes that it did not upload again', async () => {
    const { move, series } = setUp();
    const adopted = { ...active, inherits: { ...inherits, resumes: 1, adoptedBy: 'p2' } };
    move(active, adopted);
    move(adopted, { ...adopted, reason: 'NoProgress' });
    expect(seen(await series())).to.deep.equal([1, 0, 300, 0, 0]);
  });

  it('counts it in the write that finishes the job, or records the attempt', async () => {
    const { move, series } = setUp();
    move(active, { phase: 'Succeeded', reason: 'Uploaded' });
    expect(seen(await series()).slice(0, 3)).to.deep.equal([1, 0, 300]);
  });

  it('counts a refusal, but not before the pod has another upload', async () => {
    const { move, series } = setUp();
    const discarded = { ...active, upload: { ...upload, state: 'discarded' as const } };
    move(discarded, discarded);
    const { inherits: _inherits, ...without } = active;
    move({ ...active, upload: anUpload('open') }, { ...without, upload: anUpload('open') });
    expect(seen(await series()).slice(0, 3)).to.deep.equal([0, 1, 0]);
  });

  it('counts the checkpoints of an attempt when it ends, without those of earlier pods', async () => {
    const { move, series } = setUp();
    const before = { ...active, upload: { ...upload, checkpointFailures: 2 } };
    move(before, {
      ...before,
      job: { name: 'j', uid: 'uid-job' },
      attempts: [{ n: 1, podUid: 'p2', class: 'disruption' }],
    });
    expect(seen(await series()).slice(3)).to.deep.equal([5, 2]);
  });
});
