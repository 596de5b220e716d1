import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createHistoryClient } from '#cli/history/history-client.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { archivedForm } from '#runtime/history/archived-form.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { runProgram } from '../fake-session.ts';

const ID = '0198b5a0-0000-7000-8000-000000000001';
const PAGES = 4;
const PER_PAGE = 500;

function aListedJob(index: number) {
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
    finishedAt: `2026-01-0${9 - Math.floor(index / PER_PAGE)}T00:00:10Z`,
  };
}

function fail(response: ServerResponse, status: number, retryAfter?: string): void {
  response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  response.end(JSON.stringify({ error: { code: 'rate_limited', message: 'Too many requests' } }));
}

describe('a history that is busy', function () {
  this.timeout(60_000);
  let server: Server;
  let cursors: number[];
  /** Fails a request, counted from 1. True if it did. */
  let failAt: (count: number, response: ServerResponse) => boolean;
  let maxWaitMs: number;
  /** Jobs of the cluster. */
  let live: readonly ZipJob[];

  beforeEach(async () => {
    cursors = [];
    maxWaitMs = 60_000;
    live = [];
    server = createServer(({ url = '' }, response) => {
      const cursor = Number(new URL(url, 'http://dashboard.test').searchParams.get('cursor') ?? '0');
      cursors.push(cursor);
      if (failAt(cursors.length, response)) return;
      const jobs = Array.from({ length: PER_PAGE }, (_, index) => aListedJob(cursor * PER_PAGE + index));
      const next = cursor + 1 < PAGES ? { next: String(cursor + 1) } : {};
      const zipJob = aZipJob({ metadata: { namespace: 'team-a', name: `zip-${ID}` } });
      response.end(
        JSON.stringify(
          url.endsWith(ID) ? archivedForm({ ...zipJob, status: { phase: 'Succeeded' } }) : { jobs, ...next },
        ),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  async function run(...args: readonly string[]) {
    let errors = '';
    function note(text: string): void {
      errors += `${text}\n`;
    }
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const signal = new AbortController().signal;
    const { code, output } = await runProgram(
      {
        groups: [addJobCommands],
        env: { ZIPJOBS_DASHBOARD_URL: origin },
        terminal: { note },
        openHistory: () =>
          Promise.resolve(
            createHistoryClient({
              origin,
              token: 'the-token',
              userAgent: 'zipjobs/test',
              requestTimeoutMs: 5_000,
              maxWaitMs,
              signal,
              onWait: note,
            }),
          ),
        kube: {
          server: 'https://kubernetes.test',
          request: ({ path }) => {
            if (path.endsWith('/zipjobs')) return Promise.resolve({ metadata: {}, items: live });
            const job = live.find(({ metadata }) => path.endsWith(`/${metadata.name}`));
            return job
              ? Promise.resolve(job)
              : Promise.reject(new KubeError('404 NotFound', { attempt: 'GET /', code: 'NotFound' }));
          },
          stream: () => Promise.reject(new Error('unused')),
          [Symbol.asyncDispose]: () => Promise.resolve(),
        },
      },
      ['job', ...args, '-n', 'team-a'],
    );
    return { code, output, errors };
  }
  function listed(output: string): number {
    return (JSON.parse(output) as unknown[]).length;
  }
  const LIST = ['list', '--history', '--limit', '2000', '-o', 'json'] as const;

  for (const status of [429, 503])
    it(`is asked again after its Retry-After when it responds with ${status}, and no page is read twice (UI25)`, async () => {
      failAt = (count, response) => {
        if (count === 3) fail(response, status, '1');
        return count === 3;
      };
      const { code, output, errors } = await run(...LIST);
      expect([code, listed(output)]).to.deep.equal([0, PAGES * PER_PAGE]);
      expect(cursors).to.deep.equal([0, 1, 2, 2, 3]);
      expect(errors).to.match(/^History of http.*: Too many requests\. Trying again in 1 s\n$/);
    });

  it('is waited for no longer than the limit of all pages together (UI25)', async () => {
    maxWaitMs = 1_500;
    failAt = (count, response) => {
      if (count % 2 === 0) fail(response, 429, '1');
      return count % 2 === 0;
    };
    const { code, output } = await run(...LIST);
    expect([code, listed(output)]).to.deep.equal([5, 2 * PER_PAGE]);
    expect(cursors).to.deep.equal([0, 1, 1, 2]);
  });

  it('is not waited for before the cluster is searched (UI9)', async () => {
    failAt = (_count, response) => {
      fail(response, 429, '30');
      return true;
    };
    live = [aZipJob({ metadata: { namespace: 'team-a', name: 'nightly', uid: ID } })];
    const { code, output, errors } = await run('get', ID);
    expect([code, errors, cursors.length]).to.deep.equal([0, '', 1]);
    expect(output).to.contain('nightly');
  });

  it('is asked again without a Retry-After, and for one job (UI25)', async () => {
    failAt = (count, response) => {
      if (count === 1) fail(response, 503);
      return count === 1;
    };
    expect((await run('get', ID)).code).to.equal(0);
    expect(cursors).to.have.length(2);
  });

  for (const [what, respond] of Object.entries({
    'stays busy': (response: ServerResponse) => fail(response, 503),
    'asks to come back after an hour': (response: ServerResponse) => fail(response, 429, '3600'),
    'closes the connection': (response: ServerResponse) => response.destroy(),
  }))
    it(`keeps the pages that were read, and says how far, if it ${what} (UI25)`, async () => {
      failAt = (count, response) => {
        if (count > 2) respond(response);
        return count > 2;
      };
      const { code, output, errors } = await run(...LIST);
      expect([code, listed(output)]).to.deep.equal([5, 2 * PER_PAGE]);
      expect(errors).to.contain(
        'Only the newest 1000 jobs are listed, back to 2026-01-08T00:00:10Z. Continue with --older-than, or try again',
      );
    });
});
