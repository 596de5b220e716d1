import { expect } from 'chai';
import type { Progress, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { jobDetails } from '#dashboard/jobs/job-details.ts';
import { jobRow } from '#dashboard/jobs/job-row.ts';
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

describe('jobDetails', () => {
  it('shows the metadata exactly as sent', () => {
    expect(jobDetails(aZipJob({ spec: { metadata: '{"b":1.0,"a":1e400}' } }), NOTHING).metadata).to.equal(
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
    const view = jobDetails(job({ phase: 'Succeeded', webhook }), NOTHING);
    expect(view.deliveries.map(({ response, isGood, took }) => [response, isGood, took])).to.deep.equal([
      ['timeout', false, '1,200 ms'],
      ['HTTP 500', false, '8 ms'],
      ['HTTP 204', true, '8 ms'],
    ]);
    expect(view.isLive).to.equal(true);
    const over = jobDetails(
      job({ phase: 'Succeeded', webhook: { ...webhook, state: 'Delivered' } }),
      NOTHING,
    );
    expect(over.isLive).to.equal(false);
    expect(jobDetails(job({ phase: 'Running' }), NOTHING).isLive).to.equal(true);
    const active = { name: 'j', uid: 'u', podUid: 'p' };
    expect(jobDetails(job({ phase: 'Succeeded', job: active }), NOTHING).isLive).to.equal(true);
  });

  it('has percentage, speed and time left beside the title, and nowhere else (Q-U7)', () => {
    const running = progress({ bytesTotal: 10_240, bytesPerSecond: 1_024, estimatedEndAt: ago(-7) });
    const details = jobDetails(job({ phase: 'Running', progress: running }), NOTHING);
    expect(details.progress).to.deep.equal({ percent: 30, text: '30 %, 1.0 KiB/s, about 8 s left' });
    expect(JSON.stringify(details).split('KiB/s')).to.have.lengthOf(2);
    expect(jobDetails(job({ phase: 'Failed', progress: running }), NOTHING).progress).to.equal(undefined);
    expect(jobDetails(job({ phase: 'Queued' }), NOTHING).progress).to.equal(undefined);
  });

  it('says what a job does, in words first (Q-U28)', () => {
    const message = 'The project runs as many jobs as its limit allows.';
    const waiting = jobDetails(job({ phase: 'Queued', reason: 'SlotsTaken', message }), NOTHING);
    expect(waiting.summary).to.deep.equal({ text: message, code: 'SlotsTaken', skipped: '' });
    expect(
      jobDetails(job({ phase: 'Running', reason: 'Running', message: 'a' }), NOTHING).summary.code,
    ).to.equal('');
    function textOf(status: ZipJobStatus): string {
      return jobDetails(job(status), NOTHING).summary.text;
    }
    expect(textOf({ phase: 'Succeeded', result: RESULT })).to.equal('3 files, 2.0 KiB');
    const running = {
      phase: 'Running',
      reason: 'Running',
      progress: progress({ bytesKnown: 10_240 }),
    } as const;
    expect(textOf(running)).to.equal('3 of 10 files, 3.0 KiB of at least 10.0 KiB');
    expect(textOf({ ...running, reason: 'NoProgress', message })).to.equal(message);
    expect(textOf({})).to.equal('');
  });

  it('lists the skipped files by their number from 1, up to a limit (Q-O7)', () => {
    function skippedOf(skipped: readonly number[]) {
      return jobDetails(job({ phase: 'Succeeded', result: { ...RESULT, skipped } }), NOTHING).summary.skipped;
    }
    expect(skippedOf([7])).to.equal('1 of 3 files skipped: file 8');
    expect(skippedOf(Array.from({ length: 9_000 }, (_, index) => index))).to.match(
      /^9,000 of 3 files skipped: files 1, 2, .*, 50 and 8950 more$/,
    );
  });

  it('has each name and time once: what only operators need is with Kubernetes (Q-U8)', () => {
    const status: ZipJobStatus = {
      phase: 'Succeeded',
      reason: 'Uploaded',
      result: RESULT,
      startedAt: ago(50),
      finishedAt: ago(10),
      job: { name: NAME, uid: 'u', podName: 'zip-pod', podUid: 'p', node: 'node-1' },
    };
    const { facts, kubernetes } = jobDetails(job(status), NOTHING);
    expect(facts.map(({ name }) => name)).to.deep.equal([
      'Bucket',
      'Provider',
      'Finished',
      'Duration',
      'ETag',
    ]);
    expect(facts[0]).to.deep.include({ value: 'archive', href: `/projects/${NAMESPACE}/buckets/s3/archive` });
    expect(kubernetes.map((fact) => ('value' in fact ? `${fact.name}: ${fact.value}` : ''))).to.deep.equal([
      `ZipJob: ${NAME}`,
      `Kubernetes Job: ${NAME}`,
      'Pod: zip-pod',
      'Node: node-1',
      'Reason: Uploaded',
      'Status in the API: succeeded',
    ]);
    expect(jobDetails(job({ phase: 'Queued' }), NOTHING).facts.map(({ name }) => name)).to.include('Files');
  });

  it('leaves out metadata that nobody sent', () => {
    expect(jobDetails(aZipJob({ spec: { metadata: '{}' } }), NOTHING).metadata).to.equal('');
  });
});

describe('progressChart', () => {
  const samples = [0, 1, 2, 3, 5].map((second) => ({
    atMs: NOW.getTime() + second * 1000,
    filesDone: second,
    bytesRead: second * second * 1_024,
  }));

  it('requires five samples for a line (Q-U7)', () => {
    expect(progressChart(samples.slice(0, 4))).to.equal(undefined);
  });

  it('describes its line in a sentence and a table, without the speed of now (Q-U7)', () => {
    const chart = progressChart(samples);
    expect(chart?.chart).to.deep.include({ label: chart?.text, unitLabel: 'Bytes read per second' });
    expect(chart?.chart.yTicks.map(({ label }) => label)).to.deep.equal([
      '0 KiB/s',
      '2 KiB/s',
      '4 KiB/s',
      '6 KiB/s',
      '8 KiB/s',
    ]);
    expect(chart?.chart.lines.map(({ points }) => points.split(' ').length)).to.deep.equal([4]);
    expect(chart?.text).to.equal('25.0 KiB read in 4 s, peak 8.0 KiB/s');
    expect(chart?.rows.at(-1)).to.deep.equal({
      at: '2026-05-04T12:00:05.000Z',
      files: '5',
      read: '25.0 KiB',
      rate: '8.0 KiB/s',
    });
  });

  it('limits the rows of its table', () => {
    const many = Array.from({ length: 64 }, (_, n) => ({ atMs: n * 1000, filesDone: n, bytesRead: n }));
    const rows = progressChart(many)?.rows ?? [];
    expect(rows.length).to.be.at.most(12);
    expect(rows.at(-1)?.files).to.equal('63');
  });
});
