import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { countReads } from '#test/support/builders/count-reads.ts';
import { createCountedHistory } from '#test/support/builders/counted-history.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const HOUR_SECONDS = 3_600;
const URL = 'https://hooks.example.com/x';

/** The pages compare with the clock. */
function secondsAgo(seconds: number): string {
  return `${new Date(Date.now() - seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

function ready(name: string, spec: ZipProject['spec'] = {}, more: ZipProject['status'] = {}): ZipProject {
  const condition = {
    type: 'Ready',
    status: 'True',
    reason: 'ProjectReady',
    message: '',
    lastTransitionTime: secondsAgo(0),
  } as const;
  return { ...aProject(name, spec), status: { conditions: [condition], ...more } };
}

/** The row of a project as text. */
function rowOf(html: string, title: string): string {
  const rows = html.split('<tr>').map((one) => one.split('</tr>', 1).join(''));
  const row = rows.find((one) => one.includes(`<bdi>${title}</bdi>`)) ?? `no row ${title}`;
  return row
    .replaceAll(/<\/t[hd]>/g, ' | ')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function failuresIn(html: string): readonly string[] {
  const [, list = ''] = /<ul class="recent facts">(.*?)<\/ul>/s.exec(html) ?? [];
  return [...list.matchAll(/<li><a href="[^"]+"><bdi>([^<]+)</g)].map(([, key = '']) => key);
}

describe('the list of projects', () => {
  let server: DashboardServer;
  let jobs: number;
  async function start(options: Parameters<typeof startDashboardServer>[0] = {}): Promise<void> {
    server = await startDashboardServer(options);
    jobs = 0;
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(ready('team-a', { displayName: 'Team A' }));
    server.zipProjects.put(ready('team-b'));
  }
  beforeEach(() => start());
  afterEach(() => server[Symbol.asyncDispose]());

  function put(namespace: string, status: ZipJobStatus, key = `${jobs}.zip`): void {
    jobs += 1;
    const metadata = { namespace, name: `job-${jobs}`, creationTimestamp: secondsAgo(2 * 86_400 - jobs) };
    server.zipJobs.put(aZipJob({ metadata, spec: { key }, status }));
  }
  function fail(namespace: string, { code = 'SourceNotFound', ago = 60, key = 'failed.zip' } = {}): void {
    const failure = { code, retriable: false };
    put(namespace, { phase: 'Failed', finishedAt: secondsAgo(ago), failure }, key);
  }
  async function page(token = ADA, path = '/projects'): Promise<string> {
    return (await (await visitAs(server, token)).get(path)).text;
  }

  it('shows what runs, waits and failed in the last 24 hours, and the last job of each (Q-U18)', async () => {
    for (const phase of ['Queued', 'Starting', 'Running', 'Running'] as const) put('team-a', { phase });
    fail('team-a');
    fail('team-a', { ago: 23 * HOUR_SECONDS });
    fail('team-a', { ago: 25 * HOUR_SECONDS });
    const html = await page();
    expect(rowOf(html, 'Team A')).to.equal('Team A team-a | 2 | 2 | 2 | 1 d ago |');
    expect(rowOf(html, 'team-b')).to.equal('team-b | 0 | 0 | 0 | – |');
    expect(html).to.match(/href="\/projects\/team-a\/jobs\?state=Failed&amp;finished-from=[^"]+">2</);
  });

  it('has a red dot only where failures are above the threshold (Q-U18, Q-O9)', async () => {
    for (let n = 0; n < 11; n += 1) fail('team-a');
    for (let n = 0; n < 10; n += 1) fail('team-b');
    const html = await page();
    expect(html.match(/<span class="dot bad"/g)).to.have.length(1);
    expect(rowOf(html, 'Team A')).to.contain('Too many jobs fail: Team A');
    // A night ago: without a history, the cluster still has the jobs that succeeded.
    server.zipProjects.put(ready('night'));
    for (let n = 0; n < 11; n += 1) fail('night', { ago: 5 * HOUR_SECONDS });
    expect(rowOf(await page(), 'night')).to.contain('Too many jobs fail');
  });

  it('does not compare jobs of a day with those that left the cluster for the history (Q-O9)', async () => {
    await server[Symbol.asyncDispose]();
    await start({ history: createCountedHistory() });
    for (let n = 0; n < 11; n += 1) fail('team-a', { ago: 5 * HOUR_SECONDS });
    for (let n = 0; n < 11; n += 1) fail('team-b');
    const html = await page();
    expect(rowOf(html, 'Team A')).to.not.contain('Too many');
    expect(rowOf(html, 'team-b')).to.contain('Too many');
    expect(html).to.contain('only in its history');
  });

  it('says only of a project that does not work in which state it and its webhook are', async () => {
    const endpoint = endpointDigest(URL);
    server.zipProjects.put(
      ready('hooked', { webhook: { url: URL } }, { webhook: { endpoint, state: 'Disabled' } }),
    );
    server.zipProjects.put(aProject('new'));
    const html = await page();
    expect(rowOf(html, 'hooked')).to.contain('hooked Webhook: disabled after failures |');
    expect(rowOf(html, 'new')).to.contain('new Not ready');
    expect(rowOf(html, 'Team A')).to.contain('Team A team-a |');
  });

  it('has the newest failures of all projects of several (Q-U18)', async () => {
    for (let n = 1; n <= 8; n += 1) fail('team-a', { ago: 60 * n, key: `a${n}.zip` });
    fail('team-b', { ago: 90, key: 'b.zip' });
    fail('team-b', { ago: 25 * HOUR_SECONDS, key: 'old.zip' });
    const html = await page();
    expect(failuresIn(html)).to.deep.equal([
      'a1.zip',
      'b.zip',
      ...[2, 3, 4, 5, 6, 7].map((n) => `a${n}.zip`),
    ]);
    expect(html).to.contain('in <a href="/projects/team-b"><bdi>team-b</bdi></a>');
    server.zipProjects.remove('team-b', 'project');
    expect(await page()).to.not.contain('Recent failures');
  });

  it('shows no job of a project to a user who cannot list them there (Q-U18)', async () => {
    server.tokens.set('some', {
      name: 'sam',
      allowed: ['get zipprojects team-a', 'get zipprojects team-b', 'list zipjobs team-b'],
    });
    fail('team-a', { key: 'secret.zip' });
    fail('team-b', { key: 'open.zip' });
    const html = await page('some');
    expect(rowOf(html, 'Team A')).to.equal('Team A team-a | No access to jobs | |');
    expect(failuresIn(html)).to.deep.equal(['open.zip']);
    expect(html).to.not.contain('secret.zip');
  });

  it('reads only the jobs that it names, and asks for no project twice (Q-U18)', async () => {
    server.tokens.set('some', {
      name: 'sam',
      allowed: ['team-a', 'team-b'].flatMap((name) => [`get zipprojects ${name}`, `list zipjobs ${name}`]),
    });
    for (let n = 0; n < 100; n += 1) fail(n % 2 === 0 ? 'team-a' : 'team-b', { ago: n });
    const sam = await visitAs(server, 'some');
    const before = server.requests.length;
    const reads = countReads(server.zipJobs.reflector);
    await sam.get('/projects');
    expect(reads()).to.equal(16);
    const reviews = server.requests
      .slice(before)
      .map(({ body }) => JSON.stringify(body))
      .filter((body) => body.includes('"zipjobs"') && body.includes('"list"'));
    expect(reviews).to.have.length(3);
  });
});
