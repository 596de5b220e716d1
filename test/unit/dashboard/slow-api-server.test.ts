import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { zipJobName } from '#crds/api-group.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import { toError } from '#runtime/errors.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { readRefused } from '#test/support/builders/refused-requests.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { dashboardRoutes, pagePaths } from '#test/support/servers/dashboard-routes.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const UUID = '00000000-0000-4000-8000-00000000000a';

function silence(): Promise<never> {
  return new Promise(() => undefined);
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(toError(signal.reason)));
  });
}

/** It never responds, like a connection whose packets are lost. */
const silentHistory: History = {
  readJob: (_job, signal) => untilAborted(signal),
  listJobs: (_filter, { signal }) => untilAborted(signal),
  streamJobs: async function* (_filter, signal) {
    yield await untilAborted(signal);
  },
  statistics: ({ signal }) => untilAborted(signal),
  usageByDay: ({ signal }) => untilAborted(signal),
};

const emptyHistory: History = {
  readJob: () => Promise.resolve(undefined),
  listJobs: () => Promise.resolve({ jobs: [] }),
  // oxlint-disable-next-line no-empty-function
  streamJobs: async function* () {},
  statistics: ({ signal }) => untilAborted(signal),
  usageByDay: () => Promise.resolve([]),
};

describe('while the API server is slow', () => {
  let project: DashboardProject | undefined;
  afterEach(() => project?.[Symbol.asyncDispose]());
  async function start(history: History = emptyHistory, limitMs = 400): Promise<DashboardProject> {
    const env = { workTimeoutMs: limitMs, dashboardStatisticsTimeoutMs: 100 };
    project = await startDashboardProject(env, { history, readRefused });
    project.putProject({}, { metadata: { uid: 'project-uid' } });
    return project;
  }
  /** Reviews still get responses, all other calls none. */
  function silenceObjects({ server }: DashboardProject): void {
    server.respondWith(silence);
  }

  it('every page responds with 503 and Retry-After, or needs no call (UI46)', async () => {
    const started = await start(emptyHistory, 150);
    const { ada, server } = started;
    silenceObjects(started);
    const params = {
      project: TEAM,
      job: zipJobName(UUID),
      service: 's3',
      bucket: 'reports',
      token: 'ci-aaaaaa',
      endpoint: 'audit',
    };
    const statuses = new Map<number, string[]>();
    for (const path of [
      ...pagePaths(dashboardRoutes(server, emptyHistory, readRefused), params),
      `${HOME}/jobs/${zipJobName(UUID)}/download`,
      `${HOME}/live/jobs/${zipJobName(UUID)}`,
      `${HOME}/history.csv`,
    ]) {
      const called = server.requests.length;
      const { status, headers } = await ada.get(path);
      statuses.set(status, [...(statuses.get(status) ?? []), path]);
      if (status === 503) expect(Number(headers.get('retry-after')), path).to.be.above(0);
      const calls = server.requests.slice(called).filter(({ path: to }) => !to.endsWith('reviews'));
      if (calls.length > 0) expect(status, path).to.equal(503);
    }
    expect(statuses.get(500)).to.equal(undefined);
    expect(statuses.get(503)).to.include.members([
      `${HOME}/jobs/${zipJobName(UUID)}`,
      `${HOME}/jobs/${zipJobName(UUID)}/download`,
      `${HOME}/history`,
      `${HOME}/settings`,
      `${HOME}/buckets`,
      `${HOME}/tokens`,
      `${HOME}/refused-requests`,
      `${HOME}/webhook`,
      `${HOME}/webhook/endpoints/audit`,
    ]);
  });

  it('forms and actions respond with 503, and outcomes of several jobs are shown (UI46)', async () => {
    const started = await start();
    const { server } = started;
    const names = ['zip-a', 'zip-b'];
    for (const name of names) server.zipJobs.put(aZipJob({ metadata: { namespace: TEAM, name } }));
    silenceObjects(started);
    for (const path of [
      `${HOME}/jobs/zip-a/cancel`,
      `${HOME}/jobs/zip-a/replay-webhook`,
      `${HOME}/webhook/enable`,
      `${HOME}/webhook/test`,
      `${HOME}/buckets/s3/reports/delete`,
    ])
      expect((await started.send(path, {})).status, path).to.equal(503);
    const form = new URLSearchParams(names.map((name): [string, string] => ['job', name]));
    const { status, text } = await started.send(`${HOME}/webhook/resend`, form);
    expect(status).to.equal(200);
    expect(text).to.contain('no response from the API server within the time limit');
  });

  it('a page whose first call got a response ends with the time limit of the page (UI46)', async () => {
    const started = await start();
    const { ada, server, objects } = started;
    server.respondWith((request) =>
      request.path.startsWith(COLLECTIONS.projects) ? objects.respond(request) : silence(),
    );
    for (const page of ['buckets', 'tokens', 'webhook'])
      expect((await ada.get(`${HOME}/${page}`)).status, page).to.equal(503);
  });

  it('a search of all projects fails with 503, and does not blame the history (UI47)', async () => {
    const started = await start();
    silenceObjects(started);
    const { status, text } = await started.ada.get(`/find?id=${UUID}`);
    expect(status).to.equal(503);
    expect(text).to.contain('The cluster is not responding').and.not.contain('history database');
  });

  /** Three batches of projects, or one job, take longer than the limit of the API server. */
  const LIMIT_MS = 1_000;
  function slowly<T>(value: T): Promise<T> {
    return delay(LIMIT_MS * 0.6, value);
  }

  it('a search of many slow histories does not blame the cluster (UI47)', async () => {
    const history = { ...emptyHistory, readJob: () => slowly(undefined) };
    const { ada, server, objects } = await start(history, LIMIT_MS);
    for (let n = 0; n < 20; n += 1) {
      const other = aProject(`team-${n}`);
      server.zipProjects.put(other);
      objects.put(COLLECTIONS.projects.replace(TEAM, `team-${n}`), other);
    }
    const { status, text } = await ada.get(`/find?id=${UUID}`);
    expect(status).to.equal(404);
    expect(text).to.contain('Job not found');
  });

  it('the page of a job has time for the API server after a slow history (UI47)', async () => {
    const nightly = aZipJob({
      metadata: { namespace: TEAM, name: 'nightly' },
      status: { phase: 'Succeeded' },
    });
    const { ada, server, objects } = await start(
      { ...emptyHistory, readJob: () => slowly(nightly) },
      LIMIT_MS,
    );
    server.respondWith(async (request) => {
      if (request.path.startsWith(COLLECTIONS.projects)) await slowly(undefined);
      return objects.respond(request);
    });
    const { status, text } = await ada.get(`${HOME}/jobs/${UUID}`);
    expect(status, text).to.equal(200);
  });

  it('a silent history is named, on every page that reads it (UI47)', async () => {
    const { ada } = await start(silentHistory);
    for (const path of [`/find?id=${UUID}`, `${HOME}/jobs/${UUID}`, `${HOME}/history`, `${HOME}/usage`]) {
      const { status, text } = await ada.get(path);
      expect(status, path).to.equal(503);
      expect(text, path).to.contain('history database').and.not.contain('The cluster is not responding');
    }
  });
});
