import { expect } from 'chai';
import type { ZipProject } from '#crds/zip-project.ts';
import { createHasStarted } from '#dashboard/projects/has-started.ts';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const NOW = new Date('2026-05-20T12:00:00Z');
const DAY_MS = 86_400_000;

function after(ms: number): Date {
  return new Date(NOW.getTime() + ms);
}

function projectOf(daysOld: number, spec: ZipProject['spec'] = {}): ZipProject {
  const plain = aProject('team-a', spec);
  const creationTimestamp = after(-daysOld * DAY_MS).toISOString();
  return { ...plain, metadata: { ...plain.metadata, uid: 'project-uid', creationTimestamp } };
}

describe('createHasStarted', () => {
  let phases: readonly string[];
  /** Succeeded jobs per day in the history; undefined: the database does not respond. */
  let recorded: readonly number[] | undefined;
  let asked: { readonly projectUids: readonly string[]; readonly from: Date }[];
  beforeEach(() => {
    phases = [];
    recorded = [];
    asked = [];
  });
  async function usageByDay(request: { readonly projectUids: readonly string[]; readonly from: Date }) {
    asked.push(request);
    if (recorded === undefined)
      throw new AppError('no response', { code: 'HistoryUnavailable', retryable: true });
    return recorded.map((succeeded) => ({
      projectUid: 'project-uid',
      day: '',
      succeeded,
      failed: 1,
      cancelled: 0,
      files: 0,
      bytes: 0,
    }));
  }
  function create({ hasHistory }: { readonly hasHistory: boolean }) {
    return createHasStarted({
      jobs: { choices: { of: () => phases } },
      history: hasHistory ? { usageByDay } : undefined,
      config: { dashboardStatisticsTimeoutMs: 1_000 },
      log: createLogger('dashboard', { level: 'silent' }),
    });
  }

  it('is true when a job in the cluster has succeeded, without asking the history', async () => {
    phases = ['Failed', 'Succeeded'];
    expect(await create({ hasHistory: true })(projectOf(0), NOW)).to.equal(true);
    expect(asked).to.deep.equal([]);
  });

  it('is true when a job succeeded that is only in the history, and asks once an hour', async () => {
    const hasStarted = create({ hasHistory: true });
    recorded = [0, 1];
    expect(await hasStarted(projectOf(30), NOW)).to.equal(true);
    expect(await hasStarted(projectOf(30), after(3_500_000))).to.equal(true);
    expect(asked).to.have.lengthOf(1);
    expect(asked[0]?.projectUids).to.deep.equal(['project-uid']);
    await hasStarted(projectOf(30), after(3_700_000));
    expect(asked).to.have.lengthOf(2);
  });

  it('is false when the history has no job that succeeded, and asks again after a minute', async () => {
    const hasStarted = create({ hasHistory: true });
    expect(await hasStarted(projectOf(30), NOW)).to.equal(false);
    recorded = [2];
    expect(await hasStarted(projectOf(30), after(50_000))).to.equal(false);
    expect(await hasStarted(projectOf(30), after(70_000))).to.equal(true);
  });

  it('asks the history for no day before the project, and for at most 400 days', async () => {
    await create({ hasHistory: true })(projectOf(3), NOW);
    await create({ hasHistory: true })(projectOf(3_000), NOW);
    const days = asked.map(({ from }) => (NOW.getTime() - from.getTime()) / DAY_MS);
    expect(days).to.deep.equal([3, 399]);
  });

  it('is unknown while the history is away, unless the jobs of the project cannot have expired', async () => {
    recorded = undefined;
    const hasStarted = create({ hasHistory: true });
    expect(await hasStarted(projectOf(8), NOW)).to.equal(undefined);
    expect(await hasStarted(projectOf(8), after(1_000))).to.equal(undefined);
    expect(asked).to.have.lengthOf(1);
    expect(await create({ hasHistory: true })(projectOf(0), NOW)).to.equal(false);
  });

  it('is unknown without a history when succeeded jobs of the project can have expired', async () => {
    const hasStarted = create({ hasHistory: false });
    expect(await hasStarted(projectOf(6), NOW)).to.equal(false);
    expect(await hasStarted(projectOf(8), NOW)).to.equal(undefined);
    const dayLong = { jobDefaults: { ttlSecondsAfterFinished: { succeeded: 86_400 } } };
    expect(await hasStarted(projectOf(2, dayLong), NOW)).to.equal(undefined);
  });
});
