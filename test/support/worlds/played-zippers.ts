/** A project whose pods get no node: the test writes what their zippers would write, with their tokens. */
import { randomUUID } from 'node:crypto';
import {
  bucketResourceName,
  FIELD_MANAGERS,
  GROUP_VERSION,
  PLURALS,
  ZIPPER_CONTAINER,
} from '#crds/api-group.ts';
import type { ZipCheckpoint, ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { UploadState, ZipJobStatus, ZipperStatus } from '#crds/zip-job.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type KubeResponse, type KubeUser, signIn } from '../clients/kube-user.ts';
import { bindPod, mountedToken } from '../clients/pod-tokens.ts';
import { until } from '../until.ts';
import { applyObjects, createProject, type Project } from './project.ts';

const NODE = 'played-node';
const LIMIT = { limitMs: 120_000, intervalMs: 100 };

/** The zipper of one pod, played by the test. */
export interface PlayedZipper {
  readonly uid: string;
  /** Writes its fields of the status; all of them, like a real one. */
  write(
    fields: { readonly bytesUploaded: number; readonly upload?: UploadState } & Pick<ZipperStatus, 'result'>,
  ): Promise<KubeResponse>;
  /** Writes a checkpoint; without one, reads it with an empty patch. */
  checkpoint(status?: ZipCheckpointStatus): Promise<KubeResponse>;
  /** The pod has ended, by SIGKILL. */
  kill(): Promise<void>;
}

/** One job of the project. */
export interface PlayedJob {
  readonly uuid: string;
  status(): Promise<ZipJobStatus>;
  until(what: string, holds: (status: ZipJobStatus) => boolean): Promise<ZipJobStatus>;
  /** The active pod, which is another one than this. */
  nextPod(not?: PlayedZipper): Promise<PlayedZipper>;
  zipCheckpoint(): Promise<ZipCheckpoint | undefined>;
  events(): Promise<readonly string[]>;
  recoveries(): Promise<readonly string[]>;
  cancel(): Promise<void>;
}

export interface PlayedZippers extends AsyncDisposable {
  readonly project: Project;
  start(): Promise<PlayedJob>;
  /** Gives pods a node again, or none. */
  nodes(are: 'there' | 'full'): Promise<void>;
}

interface Kubernetes {
  readonly cluster: Cluster;
  readonly admin: KubeUser;
  /** The kubelet of the node on which the pods are. */
  readonly kubelet: KubeUser;
  readonly project: Project;
  readonly life: AsyncDisposableStack;
}

function pathOf({ project }: Kubernetes, kind: 'ZipJob' | 'ZipCheckpoint', name: string): string {
  return `/apis/${GROUP_VERSION}/namespaces/${project.namespace}/${PLURALS[kind]}/${name}`;
}

function aProgress(podUid: string, bytesUploaded: number) {
  const updatedAt = new Date().toISOString().replace(/\.\d+/, '');
  return {
    podUid,
    filesTotal: 1,
    filesDone: 0,
    bytesRead: bytesUploaded,
    bytesUploaded,
    display: '0/1',
    updatedAt,
  };
}

async function zipperOf(
  kubernetes: Kubernetes,
  zipJob: string,
  pod: { name: string; uid: string },
): Promise<PlayedZipper> {
  const { cluster, admin, kubelet, project, life } = kubernetes;
  const { namespace } = project;
  await bindPod(admin, { namespace, name: pod.name }, NODE);
  const token = await mountedToken(kubelet, { namespace, ...pod });
  const user = life.use(await signIn(cluster, { token }));
  return {
    uid: pod.uid,
    write: ({ bytesUploaded, ...fields }) =>
      user.request(
        'PATCH',
        `${pathOf(kubernetes, 'ZipJob', zipJob)}/status?fieldManager=${FIELD_MANAGERS.zipper}&force=true`,
        {
          patch: 'apply',
          body: {
            apiVersion: GROUP_VERSION,
            kind: 'ZipJob',
            metadata: { namespace, name: zipJob },
            status: { progress: aProgress(pod.uid, bytesUploaded), ...fields },
          },
        },
      ),
    checkpoint: (status) =>
      user.request('PATCH', `${pathOf(kubernetes, 'ZipCheckpoint', zipJob)}/status`, {
        body: status ? { status } : {},
      }),
    kill: async () => {
      const terminated = { exitCode: 137, reason: 'Error' };
      const container = {
        name: ZIPPER_CONTAINER,
        image: 'x',
        imageID: '',
        ready: false,
        restartCount: 0,
        state: { terminated },
      };
      const status = { phase: 'Failed', containerStatuses: [container] };
      const path = `/api/v1/namespaces/${namespace}/pods/${pod.name}/status`;
      const { status: code, message } = await admin.request('PATCH', path, { body: { status } });
      if (code !== 200) throw new Error(message);
    },
  };
}

async function listed<T>({ admin }: Kubernetes, path: string): Promise<readonly T[]> {
  const { body } = await admin.request('GET', path);
  return body['items'] as readonly T[];
}

function jobOf(kubernetes: Kubernetes, uuid: string): PlayedJob {
  const { admin, project } = kubernetes;
  const name = `zip-${uuid}`;
  async function status(): Promise<ZipJobStatus> {
    return (await project.zipJob(uuid)).status ?? {};
  }
  async function untilStatus(what: string, holds: (seen: ZipJobStatus) => boolean): Promise<ZipJobStatus> {
    return until(
      what,
      async () => {
        const seen = await status();
        return holds(seen) && seen;
      },
      LIMIT,
    );
  }
  return {
    uuid,
    status,
    until: untilStatus,
    nextPod: async (not) => {
      const { job } = await untilStatus(
        'the next pod to be active',
        (seen) => seen.job?.podUid !== undefined && seen.job.podUid !== not?.uid,
      );
      return zipperOf(kubernetes, name, { name: job?.podName ?? '', uid: job?.podUid ?? '' });
    },
    zipCheckpoint: async () => {
      const { status: code, body } = await admin.request('GET', pathOf(kubernetes, 'ZipCheckpoint', name));
      return code === 404 ? undefined : (body as unknown as ZipCheckpoint);
    },
    events: async () => {
      const path = `/api/v1/namespaces/${project.namespace}/events?fieldSelector=involvedObject.name%3D${name}`;
      return (await listed<{ reason: string }>(kubernetes, path)).map(({ reason }) => reason);
    },
    recoveries: async () => {
      const jobs = await listed<{ metadata: { name: string } }>(
        kubernetes,
        `/apis/batch/v1/namespaces/${project.namespace}/jobs`,
      );
      return jobs.map(({ metadata }) => metadata.name).filter((one) => one.startsWith(`${name}-recover`));
    },
    cancel: async () => {
      await admin.request('PATCH', pathOf(kubernetes, 'ZipJob', name), { body: { spec: { cancel: true } } });
    },
  };
}

/** On a cluster whose controller is installed. Its node takes no pods until `nodes('there')`. */
export async function playZippers(cluster: Cluster, namespace: string): Promise<PlayedZippers> {
  await using started = new AsyncDisposableStack();
  const admin = started.use(await signIn(cluster));
  const project = started.use(await createProject(cluster, { namespace }));
  async function nodes(are: 'there' | 'full'): Promise<void> {
    await cluster.kubectl([are === 'there' ? 'uncordon' : 'cordon', cluster.node.name]);
  }
  await cluster.apply([
    { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE }, spec: { unschedulable: true } },
  ]);
  started.defer(async () => {
    await cluster.kubectl(['delete', 'node', NODE]);
  });
  const commonName = `system:node:${NODE}`;
  const kubelet = started.use(await signIn(cluster, { commonName, organizations: ['system:nodes'] }));
  await nodes('full');
  started.defer(() => nodes('there'));
  const life = started.move();
  const kubernetes = { cluster, admin, kubelet, project, life };
  return {
    project,
    nodes,
    start: async () => {
      const uuid = randomUUID();
      const bucketRef = { name: bucketResourceName('s3', project.bucketName) };
      const files = [{ url: 'https://example.com/a', filename: 'a' }];
      const metadata = { namespace, name: `zip-${uuid}` };
      const spec = { bucketRef, key: `${uuid}.zip`, files };
      await applyObjects(cluster, [{ apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata, spec }]);
      return jobOf(kubernetes, uuid);
    },
    [Symbol.asyncDispose]: () => life.disposeAsync(),
  };
}
