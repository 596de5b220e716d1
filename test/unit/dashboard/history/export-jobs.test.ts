import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'chai';
import type { History } from '#dashboard/history/history-reader.ts';
import { AppError, toError } from '#runtime/errors.ts';
import { toHistoryJob } from '#runtime/history/archived-form.ts';
import type { ExportedJob } from '#runtime/history/csv.ts';
import { aFinishedJob } from '#test/support/builders/archived-jobs.ts';
import type { ConfigChange } from '#test/support/builders/changed-config.ts';
import { ADA, SESSION, visitAs } from '#test/support/servers/dashboard-server.ts';
import { until } from '#test/support/until.ts';
import {
  type DashboardProject,
  HOME,
  startDashboardProject,
} from '#test/support/worlds/dashboard-project.ts';

const EXPORT = `${HOME}/history.csv`;

function exported(n: number): ExportedJob {
  return {
    ...toHistoryJob(aFinishedJob(n), { projectUid: 'project', clusterUid: 'cluster' }),
    metadata: '{"n":1}',
  };
}

function unused(): never {
  throw new Error('not used by an export');
}

/** A history whose batches a test releases one by one. */
function createHeldHistory() {
  const waiting: (() => void)[] = [];
  let ended = 0;
  const history: History = {
    listJobs: unused,
    readJob: unused,
    statistics: unused,
    usageByDay: unused,
    streamJobs: async function* (_filter, signal) {
      try {
        for (let n = 0; ; n += 1) {
          yield [exported(n)];
          await new Promise<void>((resolve, reject) => {
            waiting.push(resolve);
            signal?.addEventListener('abort', () => reject(signal.reason));
          });
        }
      } finally {
        ended += 1;
      }
    },
  };
  return { history, waiting, ended: (): number => ended };
}

describe('the CSV export of the history', () => {
  let project: DashboardProject | undefined;
  afterEach(() => project?.[Symbol.asyncDispose]());

  async function start(history: History, env: ConfigChange = {}): Promise<DashboardProject> {
    project = await startDashboardProject(env, { history });
    return project;
  }
  function rowsOf(...jobs: readonly ExportedJob[]): History['streamJobs'] {
    return async function* () {
      if (jobs.length > 0) yield jobs;
    };
  }
  const held = createHeldHistory().history;

  /** Opens the export without reading its body. */
  async function open({ server, ada }: DashboardProject, method = 'GET'): Promise<IncomingMessage> {
    const sent = request(server.url + EXPORT, {
      method,
      headers: { cookie: `${SESSION}=${ada.cookies.get(SESSION) ?? ''}` },
    });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return response;
  }

  it('is a file that the browser saves', async () => {
    const { ada } = await start({ ...held, streamJobs: rowsOf(exported(1), exported(2)) });
    const { status, headers, text } = await ada.get(EXPORT);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).to.match(
      /^attachment; filename="zipjobs-team-a-\d{4}-\d\d-\d\d\.csv"$/,
    );
    expect(text.split('\r\n').map((line) => line.split(',').length)).to.deep.equal([18, 18, 18, 1]);
  });

  it('has a header although no job matches', async () => {
    const { ada } = await start({ ...held, streamJobs: rowsOf() });
    expect((await ada.get(EXPORT)).text).to.match(/^"id",[^\r]*\r\n$/);
  });

  it('ends at the maximum number of rows and says so', async () => {
    const env = { dashboardExportRows: 1 };
    const { ada } = await start({ ...held, streamJobs: rowsOf(exported(1), exported(2)) }, env);
    expect((await ada.get(EXPORT)).text).to.contain('The export was cut after 1 jobs.');
    expect((await ada.get(EXPORT)).text.split('\r\n').length).to.equal(4);
  });

  it('passes the filters on, and refuses an invalid one', async () => {
    const asked: unknown[] = [];
    const { ada } = await start({
      ...held,
      streamJobs: (filter) => {
        asked.push(filter);
        return rowsOf()(filter);
      },
    });
    await ada.get(`${EXPORT}?state=Failed&token=ci&after=ignored`);
    expect(asked).to.deep.equal([
      {
        projectUid: 'uid of /apis/zipjobs.dev/v1alpha1/namespaces/team-a/zipprojects/project',
        phases: ['Failed'],
        createdBy: 'ci',
      },
    ]);
    expect((await ada.get(`${EXPORT}?from=soon`)).status).to.equal(422);
  });

  it('becomes an error page if the first jobs cannot be read', async () => {
    const away = new AppError('no connection', { code: 'HistoryUnavailable', retryable: true });
    const { ada } = await start({
      ...held,
      // eslint-disable-next-line require-yield
      streamJobs: async function* () {
        yield* await Promise.reject<readonly ExportedJob[][]>(away);
      },
    });
    const { status, headers } = await ada.get(EXPORT);
    expect([status, headers.get('content-disposition')]).to.deep.equal([503, null]);
  });

  it('is cut off, not ended, if later jobs cannot be read', async () => {
    const { ada } = await start({
      ...held,
      streamJobs: async function* () {
        yield [exported(1)];
        throw new AppError('no connection', { code: 'HistoryUnavailable', retryable: true });
      },
    });
    const failure = await ada.get(EXPORT).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).to.be.an('error');
  });

  it('has a limit of its own, half of it for one user, gives every place, and gets it back', async () => {
    const { history, ended } = createHeldHistory();
    const { server, ada } = await start(history, { dashboardExportsInFlight: 4 });
    async function as(token: string) {
      server.tokens.set(token, { name: token, allowed: ['*'] });
      return { server, ada: await visitAs(server, token) } as DashboardProject;
    }
    const opened: IncomingMessage[] = [];
    for (let n = 0; n < 2; n += 1) opened.push(await open({ server, ada } as DashboardProject));
    const refused = await ada.get(EXPORT);
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '60']);
    opened.push(await open(await as('second')), await open(await as('third')));
    expect(opened.map(({ statusCode }) => statusCode)).to.deep.equal([200, 200, 200, 200]);
    expect((await (await as('fourth')).ada.get(EXPORT)).status).to.equal(503);
    for (const one of opened) one.destroy();
    await until('the exports to end', () => ended() === 4);
    const last = await open({ server, ada } as DashboardProject);
    expect(last.statusCode).to.equal(200);
    last.destroy();
    await until('the last export to end', () => ended() === 5);
  });

  it('gives its place back if the client leaves before the first job', async () => {
    let started = 0;
    const { server, ada } = await start(
      {
        ...held,
        streamJobs: async function* (_filter, signal) {
          started += 1;
          if (started === 1)
            await new Promise((_resolve, reject) =>
              signal?.addEventListener('abort', () => reject(toError(signal.reason))),
            );
          yield [exported(1)];
        },
      },
      { dashboardExportsInFlight: 1 },
    );
    const sent = request(server.url + EXPORT, {
      headers: { cookie: `${SESSION}=${ada.cookies.get(SESSION) ?? ''}` },
    });
    sent.on('error', () => undefined);
    sent.end();
    await until('the export to start', () => started === 1);
    sent.destroy();
    await until('the place to be free', async () => (await ada.get(EXPORT)).status === 200);
  });

  it('keeps no place after a HEAD request', async () => {
    const { history } = createHeldHistory();
    const opened = await start(history, { dashboardExportsInFlight: 1 });
    for (let n = 0; n < 3; n += 1) {
      const response = await open(opened, 'HEAD');
      expect(response.statusCode).to.equal(200);
      response.resume();
      await once(response, 'end');
    }
  });

  it('ends at its time limit', async () => {
    const { history, ended } = createHeldHistory();
    const opened = await start(history, { dashboardExportTimeoutMs: 1000 });
    const response = await open(opened);
    response.resume();
    await until('the export to end', () => ended() === 1);
    await until('the connection to be closed', () => response.destroyed);
    expect(response.complete).to.equal(false);
  });

  it('is denied to a session whose token is not valid any more', async () => {
    const { server, ada } = await start(held);
    server.tokens.delete(ADA);
    expect((await ada.get(EXPORT)).status).to.equal(303);
  });
});
