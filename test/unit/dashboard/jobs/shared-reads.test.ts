import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { ago, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  type DashboardServer,
  startDashboardServer,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';

const JOBS = `/projects/${NAMESPACE}/jobs`;
const LOG = `${JOBS}/${NAME}?log=last`;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const ZIP_JOB = `/apis/zipjobs.dev/v1alpha1/namespaces/${NAMESPACE}/zipjobs/${NAME}`;
/** Longer than a test, so that only a request of the test ends what is shared. */
const ENV = { dashboardSharedReadMs: 10_000 };
const POD = {
  metadata: { namespace: NAMESPACE, name: 'the-pod', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { containers: [{ name: ZIPPER_CONTAINER }] },
};
const USERS = { 'ada-1': 'ada', 'ada-2': 'ada', 'bob-1': 'bob' } as const;

async function start(
  beforeRead: (bearer: string | undefined) => Promise<void> = () => Promise.resolve(),
): Promise<DashboardServer> {
  const job = aZipJob();
  const server = await startDashboardServer({ env: ENV });
  for (const [token, name] of Object.entries(USERS)) server.tokens.set(token, { name, allowed: ['*'] });
  server.zipProjects.put(aProject(NAMESPACE));
  server.zipJobs.put(job);
  let reads = 0;
  server.respondWith(async ({ path, bearer }) => {
    if (path === ZIP_JOB) return job;
    if (path === PODS) return { metadata: { resourceVersion: '1' }, items: [POD] };
    if (!path.endsWith('/log'))
      throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
    await beforeRead(bearer);
    reads += 1;
    const line = `line of read ${reads}`;
    await delay(50);
    return line;
  });
  return server;
}

function logReads({ requests }: DashboardServer): readonly (string | undefined)[] {
  return requests.filter(({ path }) => path.endsWith('/log')).map(({ bearer }) => bearer);
}

function hasReviewed({ requests }: DashboardServer, token: string, subresource: string): boolean {
  return requests.some(
    ({ bearer, body }) =>
      bearer === token && JSON.stringify(body ?? null).includes(`"subresource":"${subresource}"`),
  );
}

describe('what the sessions of a user share', () => {
  it('is one read of a log, also while it is in progress', async () => {
    await using server = await start();
    const visitors = await Promise.all(['ada-1', 'ada-1', 'ada-2'].map((token) => visitAs(server, token)));
    const pages = await Promise.all(visitors.map((visitor) => visitor.get(LOG)));
    pages.push(await visitors[0]!.get(LOG));
    for (const { text } of pages) expect(text).to.contain('line of read 1');
    expect(logReads(server)).to.have.length(1);
  });

  it('is never a log that another user read', async () => {
    await using server = await start();
    const [ada, bob] = [await visitAs(server, 'ada-1'), await visitAs(server, 'bob-1')];
    const [one, two] = await Promise.all([ada.get(LOG), bob.get(LOG)]);
    const shown = [one, two].map(({ text }) => /line of read \d/.exec(text)?.[0]);
    expect(shown).to.have.members(['line of read 1', 'line of read 2']);
    expect(logReads(server)).to.have.members(['ada-1', 'bob-1']);
  });

  it('is not the end of a session whose token expires during a read', async () => {
    const ended = Promise.withResolvers<void>();
    await using server = await start((bearer) => (bearer === 'ada-1' ? ended.promise : Promise.resolve()));
    const [expired, valid] = [await visitAs(server, 'ada-1'), await visitAs(server, 'ada-2')];
    const first = expired.get(LOG);
    await until('the read of the log', () => logReads(server).length === 1);
    const second = valid.get(LOG);
    await until('the review of the other session', () => hasReviewed(server, 'ada-2', 'log'));
    // The other session shares the read as soon as it has the responses to its reviews.
    await setImmediate();
    ended.reject(
      new KubeError('401 Unauthorized', { attempt: 'GET log', code: 'Unauthorized', httpStatus: 401 }),
    );
    expect((await first).status).to.equal(303);
    const { status, text } = await second;
    expect(status).to.equal(200);
    expect(text).to.contain('line of read 1');
    expect(logReads(server)).to.include('ada-2');
  });

  for (const right of ['get pods/log', 'list pods'])
    it(`is shown only while the session may ${right}`, async () => {
      await using server = await start();
      const visitor = await visitAs(server, 'ada-1');
      expect((await visitor.get(LOG)).text).to.contain('line of read 1');
      const [verb, what] = right.split(' ');
      const others = [
        `get zipprojects ${NAMESPACE}`,
        ...(what === 'pods' ? [`get pods ${NAMESPACE}`] : [`list pods ${NAMESPACE}`]),
      ];
      server.tokens.set('ada-1', { name: 'ada', allowed: others });
      const { text } = await visitor.get(LOG);
      expect(text).to.not.contain('line of read');
      expect(text).to.contain(`not allowed to ${verb} ${what}`);
    });

  it('is one search, but not the list of all jobs', async () => {
    await using server = await start();
    const [ada, bob] = [await visitAs(server, 'ada-1'), await visitAs(server, 'bob-1')];
    async function found(visitor: typeof ada, query: string): Promise<boolean> {
      return (await visitor.get(JOBS + query)).text.includes('another-job');
    }
    expect(await found(ada, '?q=another')).to.equal(false);
    server.zipJobs.put(aZipJob({ metadata: { name: 'another-job' } }));
    expect(await found(ada, '?q=another'), 'shared').to.equal(false);
    expect(await found(ada, '?q=another-job'), 'another search').to.equal(true);
    expect(await found(bob, '?q=another'), 'another user').to.equal(true);
    expect(await found(ada, ''), 'all jobs').to.equal(true);
    server.tokens.set('ada-1', { name: 'ada', allowed: [`get zipprojects ${NAMESPACE}`] });
    expect((await ada.get(`${JOBS}?q=another`)).status, 'permission removed').to.equal(403);
  });

  it('is a search with the newest job at its time, so that a page announces every later one', async () => {
    await using server = await start();
    const ada = await visitAs(server, 'ada-1');
    await ada.get(`${JOBS}?q=another`);
    server.zipJobs.put(aZipJob({ metadata: { name: 'another-job', creationTimestamp: ago(0) } }));
    const { text } = await ada.get(`${JOBS}?q=another`);
    expect(text).to.contain('0 jobs found');
    const live = /data-live="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? 'none';
    expect((await ada.get(live, { 'x-live': '1' })).text).to.contain('Show 1 newer job');
  });
});
