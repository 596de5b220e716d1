import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { currentFigures } from '#dashboard/overview/current-figures.ts';
import { durationsOf, durationText } from '#dashboard/overview/durations.ts';
import {
  clusterFigures,
  earlierFigures,
  endedSince,
  ofProject,
  projectFailures,
} from '#dashboard/overview/period-figures.ts';
import { DAY, PERIODS, periodOf, windowOf } from '#dashboard/overview/periods.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { aResult } from '#test/support/builders/zip-job-statuses.ts';

function job(name: string, status: ZipJobStatus, createdAgo = 60) {
  return toListedJob(
    aZipJob({
      metadata: { name, uid: name, creationTimestamp: ago(createdAgo) },
      spec: { key: `${name}.zip` },
      status,
    }),
  );
}

function succeeded(name: string, endedAgo: number, { seconds = 1, bytes = 0 } = {}) {
  return job(name, {
    phase: 'Succeeded',
    startedAt: ago(endedAgo + seconds),
    finishedAt: ago(endedAgo),
    result: aResult({ bytes }),
  });
}

function failed(name: string, code: string, endedAgo = 10) {
  return job(name, { phase: 'Failed', finishedAt: ago(endedAgo), failure: { code, retriable: false } });
}

describe('currentFigures', () => {
  it('counts the jobs of each state that is not final; a job without a status is queued', () => {
    const { phases } = currentFigures(
      [job('a', {}), job('b', { phase: 'Running' }), job('c', { phase: 'Queued' }), failed('d', 'X')],
      NOW,
    );
    expect(phases).to.deep.equal([
      { phase: 'Queued', count: 2 },
      { phase: 'Starting', count: 0 },
      { phase: 'Running', count: 1 },
      { phase: 'Finalizing', count: 0 },
    ]);
  });

  it('counts the unfinished jobs that wait because all jobs are paused (Q-U2)', () => {
    const paused = { phase: 'Queued', reason: 'Paused' } as const;
    expect(currentFigures([job('a', paused), job('b', {}), failed('c', 'Paused')], NOW).paused).to.equal(1);
  });

  it('finds the job that has waited longest', () => {
    const jobs = [
      job('young', {}, 10),
      job('old', { phase: 'Starting', reason: 'ImagePull' }, 90),
      job('run', { phase: 'Running' }, 999),
    ];
    const expected = { name: 'old', key: 'old.zip', reason: 'ImagePull', waitedMs: 90_000 };
    expect(currentFigures(jobs, NOW).oldestWaiting).to.deep.equal(expected);
    expect(currentFigures([], NOW).oldestWaiting).to.equal(undefined);
  });
});

describe('clusterFigures', () => {
  function figures(...jobs: readonly ReturnType<typeof job>[]) {
    return clusterFigures(jobs, DAY, NOW);
  }

  it('has every hour of the last 24, also without jobs', () => {
    const { slots, total, recent, failures, durations } = figures();
    expect(slots.length).to.equal(24);
    expect(total).to.deep.equal({ succeeded: 0, failed: 0, cancelled: 0, bytes: 0 });
    expect([recent, failures, durations]).to.deep.equal([[], [], undefined]);
  });

  it('groups finished jobs by hour and leaves out those before the period', () => {
    const { slots, total } = figures(
      succeeded('now', 0, { bytes: 100 }),
      failed('hour', 'SourceNotFound', 3_600),
      job('stopped', { phase: 'Cancelled', finishedAt: ago(3_600) }),
      succeeded('old', 25 * 3_600),
    );
    expect(slots.at(-1)).to.deep.include({ succeeded: 1, failed: 0, bytes: 100 });
    expect(slots.at(-2)).to.deep.include({ succeeded: 0, failed: 1, cancelled: 1, bytes: 0 });
    expect(total).to.deep.equal({ succeeded: 1, failed: 1, cancelled: 1, bytes: 100 });
  });

  it('counts a job that ended after the hour of the dashboard in the last bar (UI37)', () => {
    const { slots, total } = figures(failed('ahead', 'SourceNotFound', -7_200), failed('now', 'Odd', 0));
    expect(total.failed).to.equal(2);
    expect(slots.at(-1)?.failed).to.equal(2);
    expect(slots).to.have.length(24);
  });

  it('has exact percentiles of the durations of succeeded jobs', () => {
    const { durations } = figures(
      ...Array.from({ length: 100 }, (_, index) => succeeded(`job-${index}`, 10, { seconds: index + 1 })),
      failed('slow', 'X'),
    );
    expect([durations?.p50.ms, durations?.p95.ms]).to.deep.equal([50_000, 95_000]);
  });

  it('sorts reasons by frequency, and names the newest failures first', () => {
    const { failures, recent } = figures(
      failed('a', 'AccessDenied', 30),
      failed('b', 'SourceNotFound', 10),
      failed('c', 'SourceNotFound', 20),
      job('d', {
        phase: 'Failed',
        finishedAt: ago(40),
        reason: 'StartDeadlineExceeded',
        failure: { code: 'Terminated', retriable: true },
      }),
    );
    expect(failures).to.deep.equal([
      { reason: 'SourceNotFound', count: 2 },
      { reason: 'AccessDenied', count: 1 },
      { reason: 'StartDeadlineExceeded', count: 1 },
    ]);
    expect(recent.map(({ id, reason }) => [id, reason])).to.deep.equal([
      ['b', 'SourceNotFound'],
      ['c', 'SourceNotFound'],
      ['a', 'AccessDenied'],
      ['d', 'StartDeadlineExceeded'],
    ]);
  });

  it('leaves out failures of a project that was deleted, next to figures of the history (UI45)', () => {
    const jobs = [
      // Created and failed before the project was created again.
      job('old', { phase: 'Failed', startedAt: ago(300), finishedAt: ago(200) }, 400),
      job('unstarted', { phase: 'Failed', finishedAt: ago(200) }, 400),
      // Created before the project, and started after it.
      job('early', { phase: 'Failed', startedAt: ago(50), finishedAt: ago(40) }, 101),
      job('new', { phase: 'Failed', startedAt: ago(30), finishedAt: ago(20) }, 60),
    ];
    function keysOf(createdAt: string | undefined) {
      return projectFailures(ofProject(jobs, createdAt), { period: DAY, now: NOW }).map(({ key }) => key);
    }
    expect(keysOf(ago(100))).to.deep.equal(['new.zip', 'early.zip']);
    expect(keysOf(undefined)).to.have.length(4);
  });

  it('separates failures of callers from those of the service, also for reasons that are not listed (Q-O9)', () => {
    const codes = Array.from({ length: 9 }, (_, n) => `Odd${n}`);
    const { faults, failures: listed } = figures(
      ...codes.map((code) => failed(code, code)),
      failed('a', 'SourceNotFound'),
      failed('b', 'Restored'),
    );
    expect(listed).to.have.length(8);
    expect(faults).to.deep.equal({ caller: 1, operator: 9 });
  });

  it('has the jobs of an equally long time before the period, until the same hour and minute (Q-U2)', () => {
    const DAY_SECONDS = 86_400;
    const { fromMs } = windowOf(DAY, NOW);
    const beforePeriod = (NOW.getTime() - fromMs) / 1_000 + 1;
    const { total, durations } = earlierFigures(
      [
        succeeded('now', 10),
        // A day before now: the end of the earlier time.
        succeeded('later', DAY_SECONDS - 1),
        succeeded('last', DAY_SECONDS + 1, { seconds: 7, bytes: 5 }),
        failed('first', 'X', beforePeriod + DAY_SECONDS - 2),
        failed('earlier', 'X', beforePeriod + DAY_SECONDS),
      ],
      DAY,
      NOW,
    );
    expect(total).to.deep.equal({ succeeded: 1, failed: 1, cancelled: 0, bytes: 5 });
    expect(durations?.p50.ms).to.equal(7_000);
  });

  it('counts the jobs since a time with their reasons (Q-U2)', () => {
    const jobs = [
      succeeded('a', 60),
      failed('b', 'SourceNotFound', 60),
      failed('c', 'SourceNotFound', 3_601),
    ];
    const { total, failures: listed } = endedSince(jobs, NOW.getTime() - 3_600_000);
    expect([total.succeeded, total.failed]).to.deep.equal([1, 1]);
    expect(listed).to.deep.equal([{ reason: 'SourceNotFound', count: 1 }]);
  });

  it('names five failures at most', () => {
    const { recent, total } = figures(...Array.from({ length: 20 }, (_, n) => failed(`f-${n}`, 'X', n)));
    expect([recent.length, total.failed]).to.deep.equal([5, 20]);
    expect(recent[0]?.id).to.equal('f-0');
  });
});

describe('durations', () => {
  function ms(value: number) {
    return { ms: value, fromMs: value, toMs: value };
  }

  it('are exact in the cluster, and ranges in the history', () => {
    expect(durationText(ms(65_000))).to.equal('1m 5s');
    expect(durationText(ms(7_200_000))).to.equal('2h');
    expect(durationText(ms(200))).to.equal('< 1s');
    expect(durationText({ ms: 14_000, fromMs: 10_000, toMs: 20_000 })).to.equal('≈ 14s');
    expect(durationText({ ms: 86_400_000, fromMs: 86_400_000 })).to.equal('> 1d');
  });

  it('do not exist without a job', () => {
    expect(durationsOf([])).to.equal(undefined);
    expect(durationsOf([7])).to.deep.equal({ p50: ms(7), p95: ms(7) });
  });
});

describe('the periods of the overview', () => {
  it('end with the current hour or day, in UTC', () => {
    const now = new Date('2026-05-04T12:34:56Z');
    const texts = PERIODS.map((period) => {
      const { fromMs, toMs } = windowOf(period, now);
      return [fromMs, toMs].map((one) => new Date(one).toISOString().slice(0, 16));
    });
    expect(texts).to.deep.equal([
      ['2026-05-03T13:00', '2026-05-04T13:00'],
      ['2026-04-28T00:00', '2026-05-05T00:00'],
      ['2026-04-05T00:00', '2026-05-05T00:00'],
    ]);
  });

  it('are 24 hours by default', () => {
    expect(periodOf('7d').label).to.equal('7 days');
    for (const value of [null, '', 'year']) expect(periodOf(value)).to.equal(DAY);
  });
});
