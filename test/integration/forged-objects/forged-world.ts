/** Two projects with running jobs, a namespace without a project, and a user who may create everything but in the first. */
import { recoveryJobName } from '#controller/zip-job/manifest/job-manifest.ts';
import { bucketResourceName, FINALIZER, GROUP_VERSION, zipJobName } from '#crds/api-group.ts';
import type { ApiResource } from '#test/permissions/api-resources.ts';
import { type KubeUser, signIn } from '#test/support/clients/kube-user.ts';
import { installChart } from '#test/support/processes/installation.ts';
import type { HeldFile } from '#test/support/servers/held-files.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { forgetInstallation } from '#test/support/worlds/shared-installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { Imitated, Original } from './disguise.ts';
import { collectionOf, creatableKinds } from './kinds.ts';

const USER = 'mallory';
const VICTIM = 'forged-upon';
export const OWN = 'forger-own';
export const PLAIN = 'forger-plain';
/** Forged Jobs would take all of them. */
const SLOTS = 5;
/** Ended pods beside those of earlier tests; fewer than are forged. */
const ENDED_PODS = 10;

export interface RunningJob {
  readonly uuid: string;
  readonly held: HeldFile;
}

export interface ForgedWorld extends AsyncDisposable {
  /** `view` is all that the user has in this project. */
  readonly victim: Flow;
  /** A project of the user. */
  readonly own: Flow;
  readonly admin: KubeUser;
  readonly mallory: KubeUser;
  /** All that the user may create. */
  readonly kinds: readonly ApiResource[];
  /** Everything that is known of a running job of this project, and what the user has in this namespace. */
  readonly imitate: (flow: Flow, running: RunningJob, namespace: string) => Promise<Imitated>;
}

/** Runs a job to its end. */
export async function finish({ post, project, origin }: Flow): Promise<string> {
  const uuid = await post([{ url: origin.url('/gen/1000/1'), filename: 'a' }]);
  await project.untilPhase(uuid, ['Succeeded']);
  return uuid;
}

/** Runs a job until it is released. From then on, only its progress changes. */
export async function run({ cluster, hold, post, project }: Flow): Promise<RunningJob> {
  const held = hold();
  const uuid = await post([{ url: held.url, filename: 'a' }]);
  await project.untilPhase(uuid, ['Running']);
  const path = `/apis/batch/v1/namespaces/${project.namespace}/jobs/${zipJobName(uuid)}`;
  await until('the Job controller to report the pod as ready', async () => {
    const { status } = await cluster.read<{ status?: { ready?: number } }>(path);
    return status?.ready === 1;
  });
  await until('the upload to be recorded', async () => {
    return (await project.zipJob(uuid)).status?.upload !== undefined;
  });
  return { uuid, held };
}

/** Lets the controller reconcile a job, and leaves it as it is. */
export async function touch({ cluster, project }: Flow, { uuid }: RunningJob): Promise<void> {
  for (const change of ['touched=yes', 'touched-'])
    await cluster.kubectl(['annotate', 'zipjob', zipJobName(uuid), change, '-n', project.namespace]);
}

async function read(admin: KubeUser, path: string): Promise<Original> {
  const { status, message, body } = await admin.request('GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return body as unknown as Original;
}

async function list(admin: KubeUser, path: string): Promise<readonly Original[]> {
  const { items = [] } = (await read(admin, path)) as unknown as { items?: readonly Original[] };
  return items;
}

async function endedPods(admin: KubeUser): Promise<number> {
  const [succeeded, failed] = await Promise.all(
    ['Succeeded', 'Failed'].map((phase) => list(admin, `/api/v1/pods?fieldSelector=status.phase%3D${phase}`)),
  );
  return (succeeded?.length ?? 0) + (failed?.length ?? 0);
}

async function bindUser(cluster: Cluster): Promise<void> {
  function bind(role: string, namespace: string) {
    return cluster.kubectl([
      'create',
      'rolebinding',
      `${USER}-${role}`,
      `--clusterrole=${role}`,
      `--user=${USER}`,
      '-n',
      namespace,
    ]);
  }
  await bind('view', VICTIM);
  for (const namespace of [OWN, PLAIN]) {
    await Promise.all([bind('edit', namespace), bind('admin', namespace)]);
    const right = { user: USER, verb: 'create', resource: 'ziptokens.zipjobs.dev', namespace };
    await untilAllowed(cluster, right);
  }
}

/** Finalizers of ours on other kinds would stay until somebody removes them. */
async function releaseAll(admin: KubeUser, kind: ApiResource, namespace: string): Promise<void> {
  const collection = collectionOf(kind, namespace);
  const held = (await list(admin, collection)).filter(
    ({ metadata }) => metadata.finalizers?.includes(FINALIZER) === true,
  );
  for (const { metadata } of held)
    await admin.request('PATCH', `${collection}/${metadata.name}`, {
      body: { metadata: { finalizers: null } },
    });
}

async function imitation(
  admin: KubeUser,
  flow: Flow,
  names: { running: string; finished: string; inPlace: string; ownBucket: string },
): Promise<Imitated> {
  const { namespace, bucketName } = flow.project;
  const zips = `/apis/${GROUP_VERSION}/namespaces/${namespace}`;
  function jobs(where: string) {
    return `/apis/batch/v1/namespaces/${where}/jobs`;
  }
  const name = zipJobName(names.running);
  const recovery = recoveryJobName(name, 1);
  const ofJob = `labelSelector=batch.kubernetes.io%2Fjob-name%3D${name}`;
  const [zipJob, job, finished, bucket, pods, ownJobs, ownZipJobs] = await Promise.all([
    read(admin, `${zips}/zipjobs/${name}`),
    read(admin, `${jobs(namespace)}/${name}`),
    read(admin, `${zips}/zipjobs/${zipJobName(names.finished)}`),
    read(admin, `${zips}/zipbuckets/${bucketResourceName('s3', bucketName)}`),
    list(admin, `/api/v1/namespaces/${namespace}/pods?${ofJob}`),
    list(admin, jobs(names.inPlace)),
    list(admin, `/apis/${GROUP_VERSION}/namespaces/${names.inPlace}/zipjobs`),
  ]);
  // Forged pods have the same labels.
  const { status } = await flow.project.zipJob(names.running);
  const pod = pods.find(({ metadata }) => metadata.uid === status?.job?.podUid);
  if (!pod) throw new Error(`${name} has no pod`);
  // An item of a list has neither.
  function asKind(one: Original, kind: string, apiVersion: string): Original {
    return {
      ...one,
      kind,
      apiVersion,
    };
  }
  const recoveries = ownJobs.filter(({ metadata }) => metadata.name === recovery);
  const held = ownZipJobs.filter(({ spec }) => spec?.suspend === true);
  return {
    zipJob,
    job,
    finished,
    bucket,
    pod: asKind(pod, 'Pod', 'v1'),
    inPlace: [
      ...recoveries.map((one) => asKind(one, 'Job', 'batch/v1')),
      ...held.map((one) => asKind(one, 'ZipJob', GROUP_VERSION)),
    ],
    ownBucket: names.ownBucket,
  };
}

export async function startForgedWorld(): Promise<ForgedWorld> {
  await using started = new AsyncDisposableStack();
  started.defer(forgetInstallation);
  const victim = started.use(await startFlow(VICTIM));
  const own = started.use(await startFlow(OWN));
  const { cluster } = victim;
  const admin = started.use(await signIn(cluster));
  await cluster.kubectl(['create', 'namespace', PLAIN]);
  await bindUser(cluster);
  const mallory = started.use(await signIn(cluster, { commonName: USER }));
  const kinds = await creatableKinds(admin, mallory, OWN);
  started.defer(async () => {
    for (const namespace of [OWN, PLAIN])
      await Promise.all(kinds.map((kind) => releaseAll(admin, kind, namespace)));
    await cluster.kubectl(['delete', 'namespace', OWN, PLAIN, '--wait=false']);
  });
  const limits = { MAX_ACTIVE_JOBS: SLOTS, MAX_FINISHED_PODS: (await endedPods(admin)) + ENDED_PODS };
  await installChart(cluster, { controller: { settings: limits } });
  const finished = new Map([
    [victim, await finish(victim)],
    [own, await finish(own)],
  ]);
  const ownBucket = bucketResourceName('s3', own.project.bucketName);
  const resources = started.move();
  return {
    victim,
    own,
    admin,
    mallory,
    kinds,
    imitate: (flow, { uuid }, inPlace) =>
      imitation(admin, flow, { running: uuid, finished: finished.get(flow) ?? '', inPlace, ownBucket }),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
