/** The API of this checkout with a real PostgreSQL, beside the installed controller. */
import { expect } from 'chai';
import { EXPANSIONS } from '#api/read/read-expand.ts';
import { GROUP_VERSION, PROJECT_NAME, zipJobName } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { type ApiResponse, askApi } from '#test/support/clients/api-client.ts';
import { startApiProcess } from '#test/support/processes/api-process.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { ServerProcess } from '#test/support/processes/server-process.ts';
import { archiveJob } from '#test/support/servers/archive-job.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow, untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject } from '#test/support/worlds/project.ts';

const NAMESPACE = 'history-reads';
const UNKNOWN_ID = '6f1c1f0e-0000-4000-8000-000000000000';
const METADATA = '{"n":12345678901234567890,"2":"b","1":"\\u0000"}';
const QUERIES = ['', `?expand=${EXPANSIONS.join(',')}`];

/** The distinct responses of a client that polls a job until `stop` is called. */
function startPolling(read: (query: string) => Promise<ApiResponse>) {
  const seen = new Map(QUERIES.map((query) => [query, new Set<string>()]));
  let polls = 0;
  let isStopping = false;
  async function poll(): Promise<void> {
    while (!isStopping) {
      for (const [query, texts] of seen) {
        const { status, text } = await read(query);
        texts.add(`${status} ${text}`);
      }
      polls += 1;
    }
  }
  const polling = poll();
  return {
    /** Waits for complete rounds after this call. */
    rounds: (count: number) => {
      const wanted = polls + count + 1;
      return until('the polling client to read the job', () => polls >= wanted);
    },
    stop: async (): Promise<readonly (readonly string[])[]> => {
      isStopping = true;
      await polling;
      return [...seen.values()].map((texts) => [...texts]);
    },
  };
}

const KEYS = ['handover', 'repeated', 'foreign', 'away', 'known'];

interface Finished {
  readonly uuid: string;
  readonly first: ApiResponse;
}

describe('reads of the history', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let postgres: PostgresServer;
  let writer: HistoryDatabase;
  let api: ServerProcess;
  let projectUid: string;
  const finished = new Map<string, Finished>();

  before(async function () {
    await requirePostgres(this);
    postgres = life.use(await createDatabase());
    writer = life.use(postgres.connect('writer'));
    flow = life.use(await startFlow(NAMESPACE));
    api = life.use(await startApiProcess(flow.cluster, { env: postgres.env('reader') }));
    await untilTokenKnown(api.url, flow.project.token);
    const path = `/apis/${GROUP_VERSION}/namespaces/${NAMESPACE}/zipprojects/${PROJECT_NAME}`;
    projectUid = (await flow.cluster.read<ZipProject>(path)).metadata.uid ?? '';
    await Promise.all(KEYS.map(async (key) => finished.set(key, await createFinished(key))));
  });
  after(() => life.disposeAsync());

  function read(uuid: string, query = '', token = flow.project.token): Promise<ApiResponse> {
    return askApi(api.url, { path: `/v1/zips/${uuid}${query}`, token });
  }
  function post(key: string): Promise<ApiResponse> {
    const urls = [{ url: flow.origin.url('/gen/1000/1'), filename: 'a.txt' }];
    const body = JSON.stringify({ urls, bucket_name: flow.project.bucketName, key: `${key}.zip` });
    return askApi(api.url, {
      method: 'POST',
      path: '/v1/zips',
      token: flow.project.token,
      headers: { 'idempotency-key': key },
      body: `${body.slice(0, -1)},"metadata":${METADATA}}`,
    });
  }
  async function createFinished(key: string): Promise<Finished> {
    const first = await post(key);
    const uuid = first.body.data?.uuid ?? '';
    await flow.project.untilPhase(uuid, ['Succeeded']);
    await until('the webhook to be delivered', async () => {
      const { status } = await flow.project.zipJob(uuid);
      return status?.webhook?.state === 'Delivered';
    });
    return { uuid, first };
  }
  function finishedJob(key: string): Finished {
    const found = finished.get(key);
    if (found === undefined) throw new Error(`no job has the key ${key}`);
    return found;
  }
  async function archive(uuid: string): Promise<void> {
    return archiveJob(writer, await flow.project.zipJob(uuid), projectUid);
  }
  async function deleteZipJob(uuid: string): Promise<void> {
    await flow.kubectl('delete', 'zipjob', zipJobName(uuid), '--wait=true');
  }

  it('return the same response before, during and after the handover, never 404', async () => {
    const { uuid } = finishedJob('handover');
    const polling = startPolling((query) => read(uuid, query));
    await polling.rounds(2);
    await archive(uuid);
    await polling.rounds(2);
    await deleteZipJob(uuid);
    await until('the deletion to reach the cache of the API', async () => {
      const metrics = await (await fetch(`${api.adminUrl}/metrics`)).text();
      return /zip_api_history_reads_total\{outcome="found"\} [1-9]/.test(metrics);
    });
    await polling.rounds(5);
    const [plain = [], expanded = []] = await polling.stop();
    expect(plain).to.deep.equal([
      `200 {"data":{"uuid":"${uuid}","status":"succeeded","metadata":${METADATA}}}`,
    ]);
    expect(expanded).to.have.length(1);
    expect(expanded[0]).to.contain('"webhook":{"state":"delivered"').and.to.contain('"archive":{"size":');
  });

  it('return the first job to a POST that is repeated after 23 hours, and create no second archive (T10)', async () => {
    const key = 'repeated';
    const { uuid, first } = finishedJob(key);
    const zipJob = await flow.project.zipJob(uuid);
    const finishedAt = new Date(Date.now() - 23 * 3_600_000).toISOString();
    await archiveJob(writer, { ...zipJob, status: { ...zipJob.status, finishedAt } }, projectUid);
    await deleteZipJob(uuid);
    const again = await post(key);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const jobs = await flow.kubectl('get', 'zipjobs', '-o', 'name');
    expect(jobs).to.not.contain(uuid);
    const archived = await flow.project.bucket.bytes(`${key}.zip`);
    expect(archived.length).to.equal(zipJob.status?.result?.bytes);
  });

  it('find no job of another project', async () => {
    const { uuid } = finishedJob('foreign');
    await archive(uuid);
    await deleteZipJob(uuid);
    using other = await createProject(flow.cluster, { namespace: `${NAMESPACE}-other` });
    await untilTokenKnown(api.url, other.token);
    const [theirs, unknown] = [await read(uuid, '', other.token), await read(UNKNOWN_ID, '', other.token)];
    expect(theirs.status).to.equal(404);
    expect(theirs.text).to.equal(unknown.text);
    expect((await read(uuid)).status).to.equal(200);
  });

  it('get 503 while PostgreSQL is away, which other requests do not notice (G8)', async () => {
    const archived = finishedJob('away');
    await archive(archived.uuid);
    await deleteZipJob(archived.uuid);
    const known = finishedJob('known');
    expect((await read(archived.uuid)).status).to.equal(200);
    await postgres.kill();
    try {
      for (const uuid of [UNKNOWN_ID, archived.uuid, UNKNOWN_ID, archived.uuid]) {
        const { status, body, headers } = await read(uuid);
        expect([status, body.error?.code]).to.deep.equal([503, 'service_unavailable']);
        expect(Number(headers.get('retry-after'))).to.be.at.least(1);
      }
      expect((await post('new-key')).status).to.equal(503);
      for (const query of QUERIES) expect((await read(known.uuid, query)).status).to.equal(200);
      const repeated = await post('known');
      expect([repeated.status, repeated.text]).to.deep.equal([201, known.first.text]);
      expect(await api.isReady()).to.equal(true);
    } finally {
      await postgres.start();
    }
    await until('the history to be read again', async () => (await read(archived.uuid)).status === 200);
    expect((await read(UNKNOWN_ID)).status).to.equal(404);
    expect((await post('new-key')).status).to.equal(201);
  });
});
