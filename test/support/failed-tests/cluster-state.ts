/** Reads the namespaces of a failed test from the API server. It never reads Secrets. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { Event, Job, Namespace, Pod } from '#runtime/kube/resources.ts';
import { KubeApi, KubeApiError } from '#tools/local-cluster/kube-api.ts';
import { RELEASE_NAMESPACE } from '../processes/installation.ts';
import { chooseNamespaces, type ListedNamespace } from './choose.ts';
import { LIMITS } from './limits.ts';
import { isSince, lastChange, type TestWindow } from './test-window.ts';

export interface NamespaceState {
  readonly name: string;
  readonly zipJobs: readonly ZipJob[];
  readonly events: readonly Event[];
  readonly jobs: readonly Job[];
  readonly pods: readonly Pod[];
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
}

/** Limit of the objects that are read, so that a namespace of a load test does not use up the time. */
const PAGE = 500;
/** Number of namespaces whose ZipJobs are listed, newest first. */
const MOST_LISTED = 40;
const OF_KUBERNETES = /^(default|kube-.*)$/;

/** Signed in as cluster-admin. */
const signIn = async (dir: string): Promise<KubeApi> => {
  const read = (...path: readonly string[]): Promise<string> => readFile(join(dir, ...path), 'utf8');
  const config = parse(await read('admin.kubeconfig')) as Kubeconfig;
  const [ca, cert, key] = await Promise.all(
    ['ca.crt', 'admin.crt', 'admin.key'].map((name) => read('certificates', name)),
  );
  return new KubeApi({
    url: config.clusters[0].cluster.server,
    ca: ca ?? '',
    cert: cert ?? '',
    key: key ?? '',
  });
};

type List = <T>(path: string) => Promise<readonly T[]>;

const zipJobsOf = (list: List, namespace: string): Promise<readonly ZipJob[]> =>
  list<ZipJob>(`/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`).catch((error: unknown) => {
    // The kind does not exist without the chart.
    if (error instanceof KubeApiError && error.code === 404) return [];
    throw error;
  });

/** Namespaces that the file created; older ones only if it created none. */
const candidates = async (list: List, { fileFrom }: TestWindow): Promise<readonly ListedNamespace[]> => {
  const all = (await list<Namespace>('/api/v1/namespaces'))
    .map(({ metadata }) => ({ name: metadata.name, createdAt: lastChange(metadata), changedAt: 0 }))
    .filter(({ name }) => name !== RELEASE_NAMESPACE && !OF_KUBERNETES.test(name))
    .sort((a, b) => b.createdAt - a.createdAt);
  const own = all.filter(({ createdAt }) => isSince(fileFrom, createdAt));
  return (own.length > 0 ? own : all).slice(0, MOST_LISTED);
};

/** @throws Error when the API server cannot be reached, and when the signal aborts. */
export const readState = async (
  dir: string,
  window: TestWindow,
  signal: AbortSignal,
): Promise<readonly NamespaceState[]> => {
  const api = await signIn(dir);
  // A request that waits for its connection ignores its own signal.
  signal.addEventListener('abort', () => void api.close());
  const list: List = async <T>(path: string) =>
    (await api.get<{ readonly items: readonly T[] }>(`${path}?limit=${PAGE}`, signal)).items;
  try {
    const zipJobs = new Map<string, readonly ZipJob[]>();
    const listed = await Promise.all(
      (await candidates(list, window)).map(async (one) => {
        const found = await zipJobsOf(list, one.name);
        zipJobs.set(one.name, found);
        return { ...one, changedAt: Math.max(0, ...found.map(({ metadata }) => lastChange(metadata))) };
      }),
    );
    return await Promise.all(
      chooseNamespaces(listed, window, LIMITS.namespaces).map(async (name) => {
        const [events, jobs, pods] = await Promise.all([
          list<Event>(`/api/v1/namespaces/${name}/events`),
          list<Job>(`/apis/batch/v1/namespaces/${name}/jobs`),
          list<Pod>(`/api/v1/namespaces/${name}/pods`),
        ]);
        return { name, zipJobs: zipJobs.get(name) ?? [], events, jobs, pods };
      }),
    );
  } finally {
    await api.close();
  }
};
