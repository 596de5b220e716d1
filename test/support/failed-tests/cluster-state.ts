/** What the API server of a cluster knows about the namespaces of a failed test. Secrets are never read. */
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

/** More objects than this are not read, so that a namespace of a load test does not take the whole time. */
const PAGE = 500;
/** Namespaces whose ZipJobs are listed, the newest ones. */
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
    // Without the chart there is no such kind.
    if (error instanceof KubeApiError && error.code === 404) return [];
    throw error;
  });

/** Those that the file created. Only a file that created none may be about older ones. */
const candidates = async (list: List, { fileFrom }: TestWindow): Promise<readonly ListedNamespace[]> => {
  const all = (await list<Namespace>('/api/v1/namespaces'))
    .map(({ metadata }) => ({ name: metadata.name, createdAt: lastChange(metadata), changedAt: 0 }))
    .filter(({ name }) => name !== RELEASE_NAMESPACE && !OF_KUBERNETES.test(name))
    .sort((a, b) => b.createdAt - a.createdAt);
  const own = all.filter(({ createdAt }) => isSince(fileFrom, createdAt));
  return (own.length > 0 ? own : all).slice(0, MOST_LISTED);
};

/** @throws Error when the API server cannot be asked, and when the signal ends the wait. */
export const readState = async (
  dir: string,
  window: TestWindow,
  signal: AbortSignal,
): Promise<readonly NamespaceState[]> => {
  const api = await signIn(dir);
  // A request that waits for its connection does not hear of its own signal.
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
