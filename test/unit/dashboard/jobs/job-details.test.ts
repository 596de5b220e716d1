import { expect } from 'chai';
import type { Progress, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { jobRow } from '#dashboard/jobs/job-row.ts';
import { jobView } from '#dashboard/jobs/job-details.ts';
import { progressChart } from '#dashboard/jobs/progress-chart.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { ago, aZipJob, NAME, NAMESPACE, NOW, UUID } from '#test/support/builders/objects.ts';

function progress(change: Partial<Progress> = {}): Progress {
  return {
    podUid: 'pod',
    filesTotal: 10,
    filesDone: 3,
    bytesRead: 3_072,
    bytesUploaded: 0,
    display: '3/10',
    updatedAt: ago(1),
    ...change,
  };
}

const RESULT = {
  bytes: 2_048,
  etag: 'etag',
  entries: 3,
  seconds: 1,
  peakMemory: 1,
  retries: 0,
  contractVersion: 1,
};

function job(status: ZipJobStatus): ZipJob {
  return aZipJob({ status });
}

describe('jobRow', () => {
  function rowOf(status: ZipJobStatus) {
    const row = jobRow(toListedJob(job(status)), NOW);
    const { phase, look, reason, percent, files, bytes } = row;
    return { phase, look, reason, percent, files, bytes };
  }
  const cases: readonly { readonly name: string; readonly status: ZipJobStatus; readonly want: object }[] = [
    {
      name: 'a job without a status',
      status: {},
      want: {
        phase: 'Queued',
        look: 'quiet',
        reason: '',
        percent: undefined,
        files: '3',
        bytes: '',
      },
    },
    {
      name: 'a waiting job with its reason',
      status: { phase: 'Queued', reason: 'SlotsTaken' },
      want: {
        phase: 'Queued',
        look: 'quiet',
        reason: 'SlotsTaken',
        percent: undefined,
        files: '3',
        bytes: '',
      },
    },
    {
      name: 'a running job, by files while the total size is unknown',
      status: { phase: 'Running', progress: progress() },
      want: {
        phase: 'Running',
        look: 'going',
        reason: '',
        percent: 30,
        files: '3 of 10',
        bytes: '3.0 KiB',
      },
    },
    {
      name: 'a running job, by bytes, and never at 100 % before it has finished',
      status: { phase: 'Running', progress: progress({ bytesTotal: 3_072 }) },
      want: {
        phase: 'Running',
        look: 'going',
        reason: '',
        percent: 99,
        files: '3 of 10',
        bytes: '3.0 KiB of 3.0 KiB',
      },
    },
    {
      name: 'a succeeded job',
      status: { phase: 'Succeeded', progress: progress(), result: RESULT },
      want: {
        phase: 'Succeeded',
        look: 'good',
        reason: '',
        percent: undefined,
        files: '3',
        bytes: '2.0 KiB',
      },
    },
    {
      name: 'a failed job with its code',
      status: {
        phase: 'Failed',
        reason: 'X',
        failure: { code: 'SourceNotFound', retriable: false },
        progress: progress(),
      },
      want: {
        phase: 'Failed',
        look: 'bad',
        reason: 'SourceNotFound',
        percent: undefined,
        files: '3 of 10',
        bytes: '3.0 KiB',
      },
    },
  ];
  for (const { name, status, want } of cases)
    it(`shows ${name}`, () => {
      expect(rowOf(status)).to.deep.equal(want);
    });

  it('contains bucket, key, ID, time and path of the job', () => {
    expect(jobRow(toListedJob(job({})), NOW)).to.include({
      id: UUID,
      bucket: 's3/archive',
      key: 'out/archive.zip',
      at: ago(60),
      duration: '',
      href: `/projects/${NAMESPACE}/jobs/${NAME}`,
    });
  });
});

const NOTHING = { samples: [], now: NOW, sources: new Map(), isArchived: false };

describe('jobView', () => {
  it('shows the metadata exactly as sent', () => {
    expect(jobView(aZipJob({ spec: { metadata: '{"b":1.0,"a":1e400}' } }), NOTHING).metadata).to.equal(
      '{"b":1.0,"a":1e400}',
    );
  });

  it('shows each webhook delivery, and stays live until the last one and the record of the last attempt', () => {
    const webhook = {
      state: 'Pending',
      attempts: 2,
      nextAttemptAt: ago(-60),
      log: [
        { at: ago(9), durationMs: 1_200, error: 'timeout' },
        { at: ago(5), durationMs: 8, status: 500 },
        { at: ago(1), durationMs: 8, status: 204 },
      ],
    } as const;
    const view = jobView(job({ phase: 'Succeeded', webhook }), NOTHING);
    expect(view.deliveries.map(({ response, isGood, took }) => [response, isGood, took])).to.deep.equal([
      ['timeout', false, '1,200 ms'],
      ['HTTP 500', false, '8 ms'],
      ['HTTP 204', true, '8 ms'],
    ]);
    expect(view.isLive).to.equal(true);
    const over = jobView(job({ phase: 'Succeeded', webhook: { ...webhook, state: 'Delivered' } }), NOTHING);
    expect(over.isLive).to.equal(false);
    expect(jobView(job({ phase: 'Running' }), NOTHING).isLive).to.equal(true);
    const active = { name: 'j', uid: 'u', podUid: 'p' };
    expect(jobView(job({ phase: 'Succeeded', job: active }), NOTHING).isLive).to.equal(true);
  });

  it('shows the bytes that are known so far', () => {
    const running = progress({ bytesKnown: 10_240 });
    expect(jobView(job({ phase: 'Running', progress: running }), NOTHING).progressText).to.equal(
      '3 of 10 files, 3.0 KiB of at least 10.0 KiB',
    );
  });

  it('shows progress, speed and time left', () => {
    const running = progress({ bytesTotal: 10_240, bytesPerSecond: 1_024, estimatedEndAt: ago(-7) });
    expect(jobView(job({ phase: 'Running', progress: running }), NOTHING).progressText).to.equal(
      '3 of 10 files, 3.0 KiB of 10.0 KiB, 1.0 KiB/s, about 8 s left',
    );
  });

  it('lists the indices of skipped files up to a limit', () => {
    const skipped = Array.from({ length: 9_000 }, (_, index) => index);
    const { facts } = jobView(job({ phase: 'Succeeded', result: { ...RESULT, skipped } }), NOTHING);
    const left = facts.find(({ name }) => name === 'Skipped files');
    expect(left && 'value' in left ? left.value : '').to.match(/^index 0, 1, .*, 49 and 8950 more$/);
  });
});

describe('progressChart', () => {
  const samples = [0, 1, 2, 4].map((second) => ({
    atMs: NOW.getTime() + second * 1000,
    filesDone: second,
    bytesRead: second * second * 1_024,
  }));

  it('requires three samples for a line', () => {
    expect(progressChart(samples.slice(0, 2), false)).to.equal(undefined);
  });

  it('describes its line in a sentence and a table', () => {
    const chart = progressChart(samples, false);
    expect(chart?.chart).to.deep.include({ label: chart?.text, unitLabel: 'Bytes read per second' });
    expect(chart?.chart.yTicks.map(({ label }) => label)).to.deep.equal([
      '0 KiB/s',
      '2 KiB/s',
      '4 KiB/s',
      '6 KiB/s',
    ]);
    expect(chart?.chart.lines.map(({ points }) => points.split(' ').length)).to.deep.equal([3]);
    expect(chart?.text).to.equal('16.0 KiB read in 3 s, now 6.0 KiB/s, peak 6.0 KiB/s');
    expect(chart?.rows.at(-1)).to.deep.equal({
      at: '2026-05-04T12:00:04.000Z',
      files: '4',
      read: '16.0 KiB',
      rate: '6.0 KiB/s',
    });
  });

  it('leaves out the current speed once the job is over', () => {
    expect(progressChart(samples, true)?.text).to.equal('16.0 KiB read in 3 s, peak 6.0 KiB/s');
  });

  it('limits the rows of its table', () => {
    const many = Array.from({ length: 64 }, (_, n) => ({ atMs: n * 1000, filesDone: n, bytesRead: n }));
    const rows = progressChart(many, false)?.rows ?? [];
    expect(rows.length).to.be.at.most(12);
    expect(rows.at(-1)?.files).to.equal('63');
  });
});
