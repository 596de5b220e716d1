import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'undici';
import { createStoredJobs } from '#test/support/builders/stored-jobs.ts';
import { adminApi, componentPods } from '#test/support/processes/controller-pods.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import { startCluster } from '#tools/local-cluster/cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { KubeApi } from '#tools/local-cluster/kube-api.ts';

const WARM_UP = resolve(import.meta.dirname, '../../../api/programs/warm-up/main.ts');
const NAMESPACE = 'bench';
/** As many connections as the API itself opens to the API server. */
const CONNECTIONS = 64;
const API_TOKEN = `/api/v1/namespaces/${RELEASE_NAMESPACE}/serviceaccounts/zipjobs-api/token`;
const NO_LIMITS = {
  requestsPerMinute: 0,
  createsPerSecond: 0,
  filesPerSecond: 0,
  storedJobs: 10_000_000,
  storedBytes: 1e12,
};

/** The API with the settings of the chart, on a cluster without a controller, and one client of it. */
export interface ApiWorld extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly admin: KubeApi;
  readonly project: Project;
  /** Further projects, each with its own bucket. */
  readonly others: readonly Project[];
  readonly baseUrl: string;
  /** The process of the API. */
  readonly pid: number;
  /** Finished jobs. */
  readonly stored: readonly string[];
  /** Sends a request and returns its status after reading the whole body. */
  ask(request: ApiCall): Promise<number>;
  /** Creates an object without the API and returns the stored object. */
  readonly createStraight: CreateStraight;
  /** The same with the account of the API, whose writes are authorized and checked by admission policies. */
  readonly createAsApi: CreateStraight;
}

export type CreateStraight = (path: string, object: object) => Promise<unknown>;

export interface ApiCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Default: the token of `project`. */
  readonly token?: string;
}

function replicas(cluster: Cluster, api: number, controller: number) {
  return installChart(cluster, {
    api: { replicas: api, settings: { REQUESTS_PER_MINUTE_PER_TOKEN: 0 } },
    projectClasses: { default: NO_LIMITS },
    controller: { replicas: controller },
  });
}

function openClient(baseUrl: string, usual: string) {
  const pool = new Pool(baseUrl, { connections: CONNECTIONS, pipelining: 1 });
  return {
    ask: async ({ method, path, body, token = usual }: ApiCall): Promise<number> => {
      const { statusCode, body: response } = await pool.request({
        method,
        path,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: body ?? null,
      });
      await response.dump();
      return statusCode;
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** The credentials of cluster-admin, or a token of the account of the API. */
async function credentialsOf(
  cluster: Cluster,
  admin: KubeApi,
  account: 'admin' | 'api',
): Promise<{ readonly tls: object; readonly headers: Readonly<Record<string, string>> }> {
  function file(name: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', name), 'utf8');
  }
  if (account === 'admin') {
    const [cert, key] = await Promise.all([file('admin.crt'), file('admin.key')]);
    return { tls: { cert, key }, headers: {} };
  }
  const { status } = await admin.create<{ readonly status: { readonly token: string } }>(API_TOKEN, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3_600 },
  });
  return { tls: {}, headers: { authorization: `Bearer ${status.token}` } };
}

/** A client of the API server like the one of the API: as many connections, and no timeout. */
async function openStraightClient(cluster: Cluster, admin: KubeApi, account: 'admin' | 'api') {
  const { tls, headers } = await credentialsOf(cluster, admin, account);
  const pool = new Pool(cluster.apiServer.url, {
    connections: CONNECTIONS,
    pipelining: 1,
    allowH2: false,
    connect: { ca: cluster.apiServer.ca, ...tls },
  });
  return {
    create: async (path: string, object: object): Promise<unknown> => {
      const response = await pool.request({
        method: 'POST',
        path,
        headers: { ...headers, accept: 'application/json', 'content-type': 'application/json' },
        body: JSON.stringify(object),
      });
      const text = await response.body.text();
      if (response.statusCode !== 201)
        throw new Error(`POST ${path} returned ${response.statusCode}: ${text}`);
      return JSON.parse(text);
    },
    [Symbol.asyncDispose]: () => pool.destroy(),
  };
}

/** The API starts after the jobs are stored: the memory to read them all at once counts. */
export async function openApiWorld(storedJobs: number, log: (line: string) => void): Promise<ApiWorld> {
  await using opened = new AsyncDisposableStack();
  log('api: starting a cluster');
  const cluster = opened.use(await startCluster({ log }));
  const admin = opened.use(await adminApi(cluster));
  await replicas(cluster, 0, 1);
  const project = opened.use(await createProject(cluster, { namespace: NAMESPACE }));
  const others = [
    opened.use(await createProject(cluster, { namespace: `${NAMESPACE}-2` })),
    opened.use(await createProject(cluster, { namespace: `${NAMESPACE}-3` })),
  ];
  await replicas(cluster, 0, 0);
  log(`api: storing ${storedJobs} finished ZipJobs`);
  const { bucketName } = project;
  const stored = await createStoredJobs(admin, { namespace: NAMESPACE, count: storedJobs, bucketName });
  // Like the build of the image.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(cluster.dir, 'compile-cache') };
  await promisify(execFile)(process.execPath, [WARM_UP], { env });
  const baseUrl = await (await replicas(cluster, 1, 0)).apiUrl();
  for (const { token } of [project, ...others]) await untilTokenKnown(baseUrl, token);
  const client = opened.use(openClient(baseUrl, project.token));
  const straight = opened.use(await openStraightClient(cluster, admin, 'admin'));
  const asApi = opened.use(await openStraightClient(cluster, admin, 'api'));
  const [pod] = componentPods(cluster, 'api');
  const resources = opened.move();
  return {
    cluster,
    admin,
    project,
    others,
    baseUrl,
    pid: pod?.containers[0]?.pid ?? 0,
    stored,
    ask: client.ask,
    createStraight: straight.create,
    createAsApi: asApi.create,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
