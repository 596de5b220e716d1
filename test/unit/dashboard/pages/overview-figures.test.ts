import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { hourChart } from '#dashboard/pages/hour-chart.ts';
import { keptFor } from '#dashboard/pages/kept-figures.ts';
import { overviewOf } from '#dashboard/pages/overview-figures.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';

const job = (name: string, status: ZipJobStatus, createdAgo = 60) =>
  toListedJob(
    aZipJob({ metadata: { name, creationTimestamp: ago(createdAgo) }, spec: { key: `${name}.zip` }, status }),
  );
const result = (bytes: number) => ({
  bytes,
  etag: '',
  entries: 1,
  seconds: 1,
  peakMemory: 1,
  retries: 0,
  contractVersion: 1,
});

describe('overviewOf', () => {
  it('is zero without jobs', () => {
    const overview = overviewOf([], NOW);
    expect(overview).to.include({ total: 0, oldestWaiting: undefined });
    expect(overview.phases.every(({ count }) => count === 0)).to.equal(true);
    expect(overview.hours).to.have.lengthOf(24);
    expect(overview.failures).to.deep.equal([]);
  });

  it('counts jobs by phase; a job without a status counts as queued', () => {
    const overview = overviewOf(
      [job('a', {}), job('b', { phase: 'Running' }), job('c', { phase: 'Queued' })],
      NOW,
    );
    const counts = Object.fromEntries(overview.phases.map(({ phase, count }) => [phase, count]));
    expect(counts).to.include({ Queued: 2, Running: 1, Failed: 0 });
    expect(overview.total).to.equal(3);
  });

  it('groups finished jobs by hour and leaves out those before the last 24 hours', () => {
    const overview = overviewOf(
      [
        job('now', { phase: 'Succeeded', finishedAt: NOW.toISOString(), result: result(100) }),
        job('hour', {
          phase: 'Failed',
          finishedAt: ago(3_600),
          failure: { code: 'SourceNotFound', retriable: false },
        }),
        job('old', { phase: 'Succeeded', finishedAt: ago(25 * 3_600), result: result(1_000) }),
      ],
      NOW,
    );
    expect(overview.hours.at(-1)).to.deep.include({ succeeded: 1, failed: 0, bytes: 100 });
    expect(overview.hours.at(-2)).to.deep.include({ succeeded: 0, failed: 1, bytes: 0 });
    expect(overview.day).to.deep.equal({ succeeded: 1, failed: 1, bytes: 100 });
  });

  it('sorts failure reasons by frequency', () => {
    const failed = (name: string, code: string) =>
      job(name, { phase: 'Failed', finishedAt: ago(10), failure: { code, retriable: false } });
    const byReason = job('d', { phase: 'Failed', finishedAt: ago(10), reason: 'StartDeadlineExceeded' });
    const { failures } = overviewOf(
      [failed('a', 'AccessDenied'), failed('b', 'SourceNotFound'), failed('c', 'SourceNotFound'), byReason],
      NOW,
    );
    expect(failures).to.deep.equal([
      { reason: 'SourceNotFound', count: 2 },
      { reason: 'AccessDenied', count: 1 },
      { reason: 'StartDeadlineExceeded', count: 1 },
    ]);
  });

  it('finds the job that has waited longest', () => {
    const overview = overviewOf(
      [
        job('young', {}, 10),
        job('old', { phase: 'Starting', reason: 'ImagePull' }, 90),
        job('run', { phase: 'Running' }, 999),
      ],
      NOW,
    );
    expect(overview.oldestWaiting).to.deep.equal({
      name: 'old',
      key: 'old.zip',
      reason: 'ImagePull',
      waitedMs: 90_000,
    });
  });
});

describe('hourChart', () => {
  it('scales to the busiest hour and describes each bar', () => {
    const { bars, height } = hourChart([
      { from: '2026-05-04T11:00:00.000Z', succeeded: 3, failed: 1, bytes: 0 },
      { from: '2026-05-04T12:00:00.000Z', succeeded: 0, failed: 0, bytes: 0 },
    ]);
    expect(bars[0]?.succeeded.height).to.equal(height * 0.75);
    expect(bars[0]?.failed).to.deep.equal({ y: 0, height: height / 4 });
    expect(bars[0]?.label).to.equal('11:00 UTC: 3 succeeded, 1 failed');
    expect(bars[1]?.succeeded.height).to.equal(0);
  });
});

describe('keptFor', () => {
  const at = (ms: number): Date => new Date(NOW.getTime() + ms);

  it('computes once per key within the maximum age', () => {
    const computed: string[] = [];
    const figures = keptFor(2_000, (key) => computed.push(key));
    for (const key of ['a', 'a', 'b', 'a']) figures(key, at(0));
    expect(computed).to.deep.equal(['a', 'b']);
    figures('a', at(1_999));
    figures('a', at(2_000));
    expect(computed).to.deep.equal(['a', 'b', 'a']);
  });

  it('computes again when the clock was set back', () => {
    let computed = 0;
    const figures = keptFor(2_000, () => {
      computed += 1;
    });
    figures('a', at(0));
    figures('a', at(-60_000));
    expect(computed).to.equal(2);
  });
});
