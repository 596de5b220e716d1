/** One project of a chaos cluster, and the faults that a schedule can cause in it. */
import { GROUP_VERSION, PLURALS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type Exchange, type FaultAction, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import { KubeApiError } from '#tools/local-cluster/kube-api.ts';
import type { RunningPod } from '#tools/local-cluster/node-agent/node-agent.ts';
import type { OpenStream } from '#tools/local-cluster/open-stream.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import type { ArchiveDatabase } from './archive-database.ts';
import type { ChaosCluster } from './chaos-cluster.ts';
import { followJobs, type ZipJobList } from './follow-jobs.ts';
import { createObservations, type Observations, type Place } from './observations.ts';
import { createOwnBucket, type OwnBucket } from './own-bucket.ts';
import { createWebhookKeys, type WebhookKeys } from './webhook-keys.ts';

interface EventList {
  readonly items: readonly { readonly reason: string; readonly involvedObject: { readonly name: string } }[];
}

export type Judge = (place: Place, request: ProxiedRequest) => FaultAction | undefined;

export interface ChaosWorld extends AsyncDisposable {
  readonly history: Observations;
  readonly project: Project;
  readonly cluster: Cluster;
  /** Base URL of a ready API pod. */
  apiUrl(): Promise<string>;
  /** URL of a source. */
  sourceUrl(path: string): string;
  /** Observes every request of this project and requests without a project; undefined for none. */
  judgeBy(judge: Judge | undefined): void;
  watches(): readonly OpenStream[];
  kill(podUid: string, signal?: NodeJS.Signals): void;
  /** Pod of the controller that holds the Lease. */
  leaderUid(): Promise<string>;
  /** Running zipper pods of the project. */
  zipperPods(): readonly RunningPod[];
  zipJobs(): Promise<readonly ZipJob[]>;
  /** Sets spec.cancel. */
  cancel(zipJobName: string): Promise<true>;
  /** Deletes an object of the project, like a user. */
  remove(group: string, plural: string, name: string): Promise<void>;
  readonly ownBucket: OwnBucket;
  /** Undefined if the chart has no history. */
  readonly archive: ArchiveDatabase | undefined;
  /** Names of ZipJobs of which an Event says that the history does not have them. */
  reportedLost(): Promise<ReadonlySet<string>>;
  /** SHA-256 of the archive of each variant of `resuming` jobs, by the first one of the run. Shared by all worlds. */
  readonly archives: Map<number, string>;
  readonly webhookKeys: Pick<WebhookKeys, 'rotate' | 'endRotation'>;
  /** The node reports the pods of this project as if its clock was ahead by this much. */
  setNodeClock(aheadMs: number): void;
  /** Runs a task while no other world runs one. */
  alone(task: () => Promise<void>): Promise<void>;
}

const RETRY_LIMITS = { limitMs: 30_000, intervalMs: 100 };

/** Retries while the API server restarts, which another world may have caused. */
function retry<T>(what: string, ask: () => Promise<T>): Promise<T> {
  return until(
    what,
    async () => {
      try {
        return { response: await ask() };
      } catch (error) {
        if (error instanceof KubeApiError && !error.retryable && error.code !== 403) return { error };
        throw error;
      }
    },
    RETRY_LIMITS,
  ).then((found) => {
    if ('response' in found) return found.response;
    throw found.error;
  });
}

async function leaderOf({ admin, cluster }: ChaosCluster): Promise<string> {
  const { items } = await admin.get<{ items: { spec: { holderIdentity?: string } }[] }>(
    `/apis/coordination.k8s.io/v1/namespaces/${RELEASE_NAMESPACE}/leases`,
  );
  const identity = items[0]?.spec.holderIdentity ?? '';
  return cluster.node.pods().find(({ name }) => identity.startsWith(name))?.uid ?? '';
}

/** Creates a project whose store, sources and receiver are behind proxies. */
export async function startChaosWorld(chaos: ChaosCluster, namespace: string): Promise<ChaosWorld> {
  const { cluster, admin, installation, origin } = chaos;
  await using started = new AsyncDisposableStack();
  const history = createObservations();
  let judge: Judge | undefined;
  let webhookKeys: WebhookKeys | undefined;
  const listener = {
    namespace,
    judge: (place: Place, request: ProxiedRequest) =>
      judge?.(place, request) ?? (place === 'receiver' ? webhookKeys?.judge(request) : undefined),
    noteDelivery: (request: ProxiedRequest) => webhookKeys?.note(request) ?? {},
    record: (place: Place, exchange: Exchange) => history.exchange(place, exchange),
  };
  started.use(chaos.listen(listener));
  const source = started.use(
    await startFaultProxy({
      upstream: origin.url('/'),
      judge: (request) => judge?.('source', request),
      record: (exchange) => history.exchange('source', exchange),
    }),
  );
  const project = started.use(
    await createProject(cluster, { namespace, webhookUrl: chaos.receiverUrl(namespace) }),
  );
  const keys = createWebhookKeys(project, (change) => retry('the new webhook secret', () => change(admin)));
  webhookKeys = keys;
  const ownBucket = createOwnBucket(project, (what, ask) => retry(what, () => ask(admin)));
  await untilTokenKnown(await installation.apiUrl(), project.token);
  const jobsPath = `/apis/${GROUP_VERSION}/namespaces/${namespace}/${PLURALS.ZipJob}`;
  const ended = new AbortController();
  const following = followJobs(admin, jobsPath, { history, signal: ended.signal });
  started.defer(async () => {
    ended.abort();
    await following;
  });
  const resources = started.move();
  return {
    history,
    project,
    cluster,
    apiUrl: () => installation.apiUrl(),
    sourceUrl: (path) => `${source.url}${path}`,
    judgeBy: (next) => {
      judge = next;
    },
    watches: () => chaos.apiServer.streams,
    kill: (podUid, signal = 'SIGKILL') => {
      const name = cluster.node.pods().find(({ uid }) => uid === podUid)?.name ?? podUid;
      history.note(`${signal} to ${name}: ${cluster.node.kill(podUid, signal)}`);
    },
    leaderUid: () => retry('the Lease', () => leaderOf(chaos)),
    zipperPods: () =>
      cluster.node.pods().filter((pod) => pod.namespace === namespace && pod.containers.length > 0),
    zipJobs: async () => (await retry('the ZipJobs', () => admin.get<ZipJobList>(jobsPath))).items,
    cancel: async (name) => {
      const patch = JSON.stringify({ spec: { cancel: true } });
      await cluster.kubectl(['patch', '-n', namespace, 'zipjob', name, '--type=merge', '-p', patch]);
      return true;
    },
    remove: async (group, plural, name) => {
      history.note(`delete ${plural}/${name}`);
      const path = `/${group}/namespaces/${namespace}/${plural}/${name}`;
      await retry(`the deletion of ${path}`, () => admin.remove(path, { propagationPolicy: 'Background' }));
    },
    ownBucket,
    archive: chaos.archive,
    archives: chaos.archives,
    reportedLost: async () => {
      const path = `/api/v1/namespaces/${namespace}/events`;
      const { items } = await retry('the Events', () => admin.get<EventList>(path));
      const lost = items.filter(({ reason }) => reason === 'NotArchived');
      return new Set(lost.map(({ involvedObject: { name } }) => name));
    },
    webhookKeys: keys,
    setNodeClock: (aheadMs) => chaos.setNodeClock(namespace, aheadMs),
    alone: (task) => chaos.alone(task),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
