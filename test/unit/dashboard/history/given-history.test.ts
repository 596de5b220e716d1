/** Pages with a history that returns given jobs, without a database. */
import { expect } from 'chai';
import type { History } from '#dashboard/history/history-reader.ts';
import { toHistoryJob } from '#runtime/history/archived-form.ts';
import type { HistoryJob } from '#runtime/history/history-job.ts';
import { aFinishedJob, daysAgo } from '#test/support/builders/archived-jobs.ts';
import { HOME, startDashboardProject } from '#test/support/worlds/dashboard-project.ts';

function notNeeded(): Promise<never> {
  return Promise.reject(new Error('not needed'));
}

function historyOf(jobs: readonly HistoryJob[]): History {
  return {
    listJobs: async () => ({ jobs }),
    statistics: async () => ({
      total: { succeeded: 0, failed: 0, cancelled: 0, files: 0, bytes: 0 },
      periods: [],
      failures: [],
      buckets: [],
    }),
    usageByDay: notNeeded,
    streamJobs: () => {
      throw new Error('not needed');
    },
    readJob: notNeeded,
  };
}

describe('pages with a history', () => {
  it('copy the ID of each job, also of jobs that had the same name one after the other (UI16)', async () => {
    const jobs = [1, 2].map((n) => {
      const { metadata, ...job } = aFinishedJob(n);
      const nightly = { ...job, metadata: { ...metadata, name: 'nightly' } };
      return toHistoryJob(nightly, { projectUid: 'p', clusterUid: 'c' });
    });
    await using project = await startDashboardProject({}, { history: historyOf(jobs) });
    const { text } = await project.ada.get(`${HOME}/history`);
    const targets = [...text.matchAll(/data-copy="([^"]+)"/g)].map(([, id = '']) => id);
    const copied = targets.map((id) =>
      [...text.matchAll(new RegExp(`id="${id}">([^<]*)<`, 'g'))].map(([, value]) => value),
    );
    expect(copied).to.deep.equal(jobs.map(({ id }) => [id]));
  });

  it('show no failure of a project that was deleted beside the figures of the current one (UI45)', async () => {
    await using project = await startDashboardProject({}, { history: historyOf([]) });
    const status = { phase: 'Failed', failure: { code: 'SourceNotFound', retriable: false } } as const;
    project.server.zipJobs.put(aFinishedJob(1, { finishedAt: daysAgo(0, 60), status }));
    async function showsFailure(): Promise<boolean> {
      return (await project.ada.get(HOME)).text.includes('reports/1.zip');
    }
    expect(await showsFailure()).to.equal(true);
    await using later = await startDashboardProject({}, { history: historyOf([]) });
    later.putProject({}, { metadata: { creationTimestamp: daysAgo(0, 30) } });
    later.server.zipJobs.put(aFinishedJob(1, { finishedAt: daysAgo(0, 60), status }));
    const { text } = await later.ada.get(HOME);
    expect(text)
      .to.contain('No finished jobs in the last 24 hours')
      .and.contain('Nothing is wrong.')
      .and.not.contain('reports/1.zip');
  });
});
