/** The moments of a job on a real node, from its POST to its success. */
import { GROUP_VERSION, PLURALS, zipJobName } from '#crds/api-group.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import { type Followed, followObjects } from '#test/support/clients/follow-objects.ts';
import { adminApi } from '#test/support/processes/controller-pods.ts';
import { until } from '#test/support/until.ts';
import type { RealFlow } from '#test/support/worlds/real-flow.ts';
import { type ContainerTasks, followContainerTasks } from '#tools/real-node/container-tasks.ts';
import type { RealCluster } from '#tools/real-node/real-cluster.ts';

/** In the order in which they happen. */
export const MOMENTS = [
  'posted',
  'zipJobCreated',
  'jobCreated',
  'podCreated',
  'podScheduled',
  'sandboxStarted',
  'containerStarted',
  'activated',
  'resultWritten',
  'succeeded',
] as const;
type Moment = (typeof MOMENTS)[number];
/** Milliseconds since the epoch. */
export type JobMoments = Readonly<Record<Moment, number>> & { readonly responded: number };

interface Pod {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly containerStatuses?: readonly { readonly containerID?: string }[] };
}

export interface JobRecorder extends AsyncDisposable {
  /** Posts a job, and resolves when it has succeeded and its containers have ended. */
  run(key: string, url: string): Promise<JobMoments>;
}

interface SeenPod {
  readonly pod: Pod;
  readonly at: number;
}

interface Streams {
  readonly zipJobs: Followed<{ readonly job: ZipJob; readonly at: number }>;
  readonly jobs: Followed<{ readonly name: string; readonly at: number }>;
  readonly pods: Followed<SeenPod>;
  readonly tasks: ContainerTasks;
}

/**
 * Times are those at which a watch reports an object: the API server's own have whole seconds. Those of containers are
 * containerd's. A cause never counts as later than its effect, which another connection may report first.
 */
export async function recordJobs(cluster: RealCluster, flow: RealFlow): Promise<JobRecorder> {
  await using started = new AsyncDisposableStack();
  const api = started.use(await adminApi(cluster));
  function inNamespace(group: string, plural: string): string {
    return `${group}/namespaces/${flow.project.namespace}/${plural}`;
  }
  const zipJobs = inNamespace(`/apis/${GROUP_VERSION}`, PLURALS.ZipJob);
  const streams: Streams = {
    tasks: started.use(await followContainerTasks()),
    zipJobs: started.use(
      await followObjects(api, zipJobs, (job: ZipJob) => ({ job, at: Date.now() }) as const),
    ),
    jobs: started.use(
      await followObjects(api, inNamespace('/apis/batch/v1', 'jobs'), ({ metadata }) => ({
        name: metadata.name,
        at: Date.now(),
      })),
    ),
    pods: started.use(
      await followObjects(api, inNamespace('/api/v1', 'pods'), (pod: Pod) => ({ pod, at: Date.now() })),
    ),
  };
  const resources = started.move();
  return {
    run: async (key, url) => {
      const posted = Date.now();
      const uuid = await flow.post(key, url);
      const responded = Date.now();
      const seen = await until('the job and its containers to end', () => seenOf(streams, uuid, posted), {
        limitMs: 120_000,
      });
      return { ...inOrder({ ...seen, posted }), responded };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Undefined until the job has succeeded and its containers have ended. */
function seenOf(
  streams: Streams,
  uuid: string,
  posted: number,
): Omit<Record<Moment, number>, 'posted'> | undefined {
  const name = zipJobName(uuid);
  function zipJobAt(is: (job: ZipJob) => boolean): number | undefined {
    return streams.zipJobs.events.find(({ object: { job } }) => job.metadata.name === name && is(job))?.object
      .at;
  }
  const failed = zipJobAt((job) => isFinished(job) && job.status?.phase !== 'Succeeded');
  if (failed !== undefined) throw new Error(`job ${uuid} did not succeed`);
  const pods = streams.pods.events
    .map(({ object }) => object)
    .filter(({ pod }) => pod.metadata.labels?.['job-name'] === name);
  const containers = containersSeen(streams.tasks, pods, posted);
  const moments = {
    zipJobCreated: zipJobAt(() => true),
    jobCreated: streams.jobs.events.find(({ object }) => object.name === name)?.object.at,
    podCreated: pods[0]?.at,
    podScheduled: pods.find(({ pod }) => pod.spec.nodeName !== undefined)?.at,
    sandboxStarted: containers?.sandboxStarted,
    containerStarted: containers?.containerStarted,
    activated: zipJobAt((job) => job.status?.progress !== undefined),
    resultWritten: zipJobAt((job) => job.status?.result !== undefined),
    succeeded: zipJobAt((job) => job.status?.phase === 'Succeeded'),
  };
  return isComplete(moments) ? moments : undefined;
}

/** Undefined until both containers of the pod have ended. */
function containersSeen({ started, ended }: ContainerTasks, pods: readonly SeenPod[], posted: number) {
  const id = pods
    .flatMap(({ pod }) => pod.status?.containerStatuses ?? [])
    .find(({ containerID }) => containerID !== undefined)
    ?.containerID?.replace('containerd://', '');
  // The only other container that starts meanwhile is that of the pod's namespaces.
  const sandbox = [...started].find(([other, at]) => other !== id && at >= posted);
  const containerStarted = started.get(id ?? '');
  if (sandbox === undefined || containerStarted === undefined) return undefined;
  const areEnded = ended.has(id ?? '') && ended.has(sandbox[0]);
  return areEnded ? { sandboxStarted: sandbox[1], containerStarted } : undefined;
}

function isComplete<K extends string>(
  moments: Readonly<Record<K, number | undefined>>,
): moments is Readonly<Record<K, number>> {
  return Object.values(moments).every((at) => at !== undefined);
}

function inOrder(seen: Readonly<Record<Moment, number>>): Readonly<Record<Moment, number>> {
  let next = Infinity;
  const corrected = MOMENTS.toReversed().map((moment) => {
    next = Math.min(next, seen[moment]);
    return [moment, next] as const;
  });
  return Object.fromEntries(corrected) as Record<Moment, number>;
}
