import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { ListedHistoryJob } from '#administration/projects/history-interface.ts';
import { createHistoryClient } from '#cli/history/history-client.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { runProgram } from '../fake-session.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';

function aListedJob(index: number, change: Partial<ListedHistoryJob> = {}): ListedHistoryJob {
  return {
    project: 'team-a',
    name: `zip-${index}`,
    id: ID,
    service: 's3',
    bucketName: 'reports',
    key: `reports/${index}.zip`,
    phase: 'Succeeded',
    reason: 'Uploaded',
    files: 2,
    bytes: 2_048,
    createdAt: '2026-01-01T00:00:00Z',
    finishedAt: '2026-01-01T00:00:10Z',
    ...change,
  };
}

interface Sent {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

describe('zipjobs job list --history', () => {
  let server: Server;
  let requests: IncomingMessage[];
  let respond: (request: IncomingMessage) => Sent;

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      const { status = 200, headers = {}, body } = respond(request);
      response.writeHead(status, headers);
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  function origin(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  function run(args: readonly string[], requestTimeoutMs = 5_000) {
    return runProgram(
      {
        groups: [addJobCommands],
        env: { ZIPJOBS_DASHBOARD_URL: origin() },
        kube: {
          server: 'https://kubernetes.test',
          request: () =>
            Promise.reject(
              new KubeError('404 NotFound', { attempt: 'GET /', code: 'NotFound', httpStatus: 404 }),
            ),
          stream: () => Promise.reject(new Error('unused')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
        openHistory: () =>
          Promise.resolve(
            createHistoryClient({
              origin: origin(),
              token: 'the-token',
              userAgent: 'zipjobs/test',
              requestTimeoutMs,
              maxWaitMs: 60_000,
              signal: new AbortController().signal,
            }),
          ),
      },
      ['job', ...args, '-n', 'team-a'],
    );
  }
  function queryOf(request: IncomingMessage | undefined): URLSearchParams {
    return new URL(request?.url ?? '', 'http://dashboard.test').searchParams;
  }

  it('sends the filters and the token, and prints what it gets', async () => {
    respond = () => ({ body: { jobs: [aListedJob(1, { createdBy: 'ci', durationMs: 9_600 })] } });
    const filters =
      '--phase Succeeded,Failed --bucket reports --key reports/* --newer-than 30d --older-than 1d';
    const args = ['list', '--history', ...filters.split(' '), '--limit', '7', '--wide'];
    const { code, output, errors } = await run(args);
    expect([code, errors]).to.deep.equal([0, '']);
    expect(output).to.match(
      new RegExp(
        `${ID} +reports/1\\.zip +Succeeded +2 +2\\.0 KiB +2026-01-01T00:00:10Z +s3/reports +10s +ci`,
      ),
    );
    expect(requests[0]?.headers.authorization).to.equal('Bearer the-token');
    expect(requests[0]?.url).to.match(/^\/history\/projects\/team-a\/jobs\?/);
    const query = queryOf(requests[0]);
    expect([...query.keys()]).to.have.members(
      'phase,bucket,service,key,finishedAfter,finishedBefore,limit'.split(','),
    );
    const sent = ['phase', 'key', 'limit'].map((name) => query.get(name));
    expect(sent).to.deep.equal(['Succeeded,Failed', 'reports/*', '7']);
  });

  it('sends reasons and a token, as the dashboard reads them', async () => {
    respond = () => ({ body: { jobs: [aListedJob(1)] } });
    const filters = ['--reason', 'SourceNotFound, OutOfMemory', '--token-id', 'ci-k7x2mq'];
    const { code, errors } = await run(['list', '--history', ...filters]);
    expect([code, errors]).to.deep.equal([0, '']);
    const sent = Object.fromEntries(queryOf(requests[0]));
    expect(sent).to.deep.equal({ reason: 'SourceNotFound,OutOfMemory', token: 'ci-k7x2mq', limit: '100' });
  });

  for (const source of [[], ['--history']])
    it(`refuses an invalid reason or token before it sends a request ${source.join(' ')}`, async () => {
      const reason = await run(['list', ...source, '--reason', 'not found']);
      expect([reason.code, reason.errors]).to.deep.equal([
        2,
        'zipjobs: --reason must be one or more reasons such as SourceNotFound, separated by commas\n',
      ]);
      const token = await run(['list', ...source, '--token-id', 'My token']);
      expect([token.code, token.errors]).to.deep.equal([
        2,
        'zipjobs: --token-id must be the ID of an access token, such as ci-k7x2mq. See: zipjobs token list\n',
      ]);
      expect(requests).to.deep.equal([]);
    });

  it('reads page after page until it has enough jobs', async () => {
    respond = (request) => {
      const from = Number(queryOf(request).get('cursor') ?? '0');
      const limit = Number(queryOf(request).get('limit'));
      const jobs = Array.from({ length: Math.min(limit, 500) }, (_, index) => aListedJob(from + index));
      return { body: { jobs, next: String(from + jobs.length) } };
    };
    const { output, errors } = await run(['list', '--history', '--limit', '700', '-o', 'json']);
    const names = (JSON.parse(output) as readonly { name: string }[]).map(({ name }) => name);
    expect([names.length, new Set(names).size, requests.length]).to.deep.equal([700, 700, 2]);
    expect(errors).to.contain('Showing the newest 700 jobs');
  });

  it('stops a search that finds nothing, and says how far it came', async () => {
    respond = () => ({ body: { jobs: [], next: 'more', searchedTo: '2025-11-02T00:00:00Z' } });
    const { code, errors } = await run(['list', '--history', '--key', 'nothing/*']);
    expect(code).to.equal(0);
    expect(errors).to.contain('Searched back to 2025-11-02T00:00:00Z');
    expect(requests.length).to.be.at.most(60);
  });

  it('prints null for unknown values as JSON, and no control characters in a table', async () => {
    respond = () => ({ body: { jobs: [aListedJob(1, { key: 'a\u001b[2J\nb' })] } });
    const [listed] = JSON.parse((await run(['list', '--history', '-o', 'json'])).output) as unknown[];
    expect(listed).to.include({ durationMs: null, createdBy: null });
    expect((await run(['list', '--history', '--wide'])).output).to.contain('a?[2J?b');
  });

  it('does not follow a redirect with the token', async () => {
    respond = () => ({ status: 302, headers: { location: `${origin()}/elsewhere` }, body: '' });
    const { code, errors } = await run(['list', '--history']);
    expect(code).to.equal(5);
    expect(errors).to.contain('redirects to another address, to which your token is not sent');
    expect(requests.map(({ url }) => url?.split('?')[0])).to.deep.equal(['/history/projects/team-a/jobs']);
  });

  it('reports errors of the dashboard with an exit code, and never the token', async () => {
    const statuses = { 401: 5, 403: 3, 429: 5, 400: 2, 503: 5 };
    for (const [status, expected] of Object.entries(statuses)) {
      respond = () => ({ status: Number(status), body: { error: { code: 'x', message: `why ${status}` } } });
      const { code, errors } = await run(['list', '--history']);
      expect(code, status).to.equal(expected);
      expect(errors).to.contain(`why ${status}`).and.not.contain('the-token');
    }
  });

  it('explains a server that is no dashboard, sends too much, or does not respond', async () => {
    for (const body of ['<html>', { jobs: [{ name: 'only' }] }, `"${'x'.repeat(9 * 1_024 * 1_024)}"`]) {
      respond = () => ({ body });
      const { code, errors } = await run(['list', '--history']);
      expect(code).to.equal(5);
      expect(errors).to.contain('Check that it is the address of a zipjobs dashboard with a history');
    }
    server.removeAllListeners('request');
    const { errors } = await run(['list', '--history'], 100);
    expect(errors).to.contain('is not reachable: no response in 100 ms');
  });

  it('says how far it came after the last request of one command', async () => {
    respond = (request) => ({
      body: {
        jobs: Array.from({ length: Number(queryOf(request).get('limit')) }, (_, n) => aListedJob(n)),
        next: 'more',
      },
    });
    const { errors } = await run(['list', '--history', '--limit', '1000000', '-o', 'json']);
    expect(errors).to.contain('Searched back to 2026-01-01T00:00:10Z').and.not.contain('--limit');
  });

  it('prints no control characters of the dashboard', async () => {
    const hostile = '\u001b[2J\u009b2J\u202e';
    respond = () => ({ status: 403, body: { error: { code: 'x', message: `no${hostile}` } } });
    expect((await run(['list', '--history'])).errors).to.contain('no?[2J?2J?');
    respond = () => ({ body: { jobs: [], next: 'more', searchedTo: `now${hostile}` } });
    expect((await run(['list', '--history'])).errors).to.contain('now?[2J?2J?');
  });

  it('refuses --dashboard without --history, which would have no effect', async () => {
    const { code, errors } = await run(['list', '--dashboard', origin()]);
    expect([code, requests]).to.deep.equal([2, []]);
    expect(errors).to.contain('--dashboard needs --history');
  });

  it('refuses what the history cannot list', async () => {
    expect((await run(['list', '--history', '--unfinished'])).errors).to.contain('finished jobs only');
    expect((await run(['list', '--history', '-A'])).errors).to.contain('--history lists one project');
    expect(requests).to.deep.equal([]);
  });

  describe('zipjobs job get', () => {
    it('shows a job of the history that left the cluster', async () => {
      const zipJob = aZipJob({
        metadata: { namespace: 'team-a', name: `zip-${ID}` },
        status: { phase: 'Succeeded' },
      });
      respond = () => ({ body: archivedForm(zipJob) });
      const { code, output, errors } = await run(['get', ID]);
      expect(code, errors).to.equal(0);
      expect(output).to.contain(ID).and.contain('Succeeded');
      expect(errors).to.contain('This job is from the history');
      expect(requests[0]?.url).to.equal(`/history/projects/team-a/jobs/${ID}`);
    });

    it('ends a watch and a wait for a job that is only in the history, with the exit code of its result', async () => {
      const results = { Succeeded: 0, Failed: 1 } as const;
      for (const args of [
        ['get', ID, '--watch'],
        ['wait', ID, '--dashboard', origin()],
      ])
        for (const phase of ['Succeeded', 'Failed'] as const) {
          const metadata = { namespace: 'team-a', name: `zip-${ID}` };
          respond = () => ({ body: archivedForm(aZipJob({ metadata, status: { phase } })) });
          const { code, errors } = await run(args);
          expect(code, errors).to.equal(results[phase]);
          expect(errors).to.contain('This job is from the history');
        }
    });

    it('reports a job that neither has as not found', async () => {
      respond = () => ({ status: 404, body: { error: { code: 'not_found', message: 'no' } } });
      const { code, errors } = await run(['get', `zip-${ID}`]);
      expect([code, requests.length]).to.deep.equal([4, 1]);
      expect(errors).to.contain('not found in project "team-a"');
    });
  });
});
