/** Every object that the processes of a release create, by their own code, against an API server that keeps what it gets. */
import { createAdministration } from '#administration/administration.ts';
import { toFileListSecrets, toZipJob } from '#api/create/to-zip-job.ts';
import { readControllerConfig } from '#controller/config/config.ts';
import { createEvents } from '#controller/reconciling/events.ts';
import { createLeaseLock } from '#controller/reconciling/lease-lock.ts';
import { zipperNetworkOf } from '#controller/wiring/wiring.ts';
import { createProjectChildren } from '#controller/zip-project/project-children.ts';
import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { readObjectMetadata, withObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { zipperJobs } from '../all-pods.ts';
import { envOf, type KubeObject, NAMESPACE, plainEnv } from '../render.ts';

const PROJECT = 'red';
const UUID = '11111111-2222-4333-8444-555555555555';

type Component = 'api' | 'controller' | 'dashboard';

interface Recorder {
  readonly kube: KubeClient;
  readonly created: KubeObject[];
}

function isCreation({ method, patchType, path }: KubeRequest): boolean {
  const isReview = path.endsWith('reviews');
  return !isReview && (method === 'POST' || (method === 'PATCH' && patchType === 'apply'));
}

/** With the settings of this component, as the chart renders them. */
function createRecorder(objects: readonly KubeObject[], component: Component): Recorder {
  const { OBJECT_METADATA_JSON: objectMetadataJson = '' } = plainEnv(envOf(objects, component));
  const stored = createObjectsByPath();
  const created: KubeObject[] = [];
  return {
    created,
    kube: {
      server: 'https://kubernetes.test',
      objectMetadata: readObjectMetadata({ objectMetadataJson }),
      request: (request) =>
        Promise.resolve().then(() => {
          if (isCreation(request)) created.push(request.body as KubeObject);
          // There is no object yet that an apply could change.
          const isApply = request.patchType === 'apply';
          return stored.respond(isApply ? { ...request, method: 'PUT' } : request);
        }),
      stream: () => Promise.reject(new Error('no stream')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  };
}

const project: ZipProject = {
  apiVersion: 'zipjobs.dev/v1alpha1',
  kind: 'ZipProject',
  metadata: { name: 'project', namespace: PROJECT, uid: 'p' },
  spec: {},
};

const zipJob = { metadata: { name: 'zip-large', namespace: PROJECT, uid: 'z' } };
const checkpoint = {
  apiVersion: GROUP_VERSION,
  kind: 'ZipCheckpoint',
  metadata: { name: 'zip-large', namespace: PROJECT, ownerReferences: [ownerReferenceOf(zipJob, 'ZipJob')] },
  spec: { zipJobUid: 'z', activePodUid: 'p' },
};

async function byController(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const { kube, created } = createRecorder(objects, 'controller');
  const config = readControllerConfig(plainEnv(envOf(objects, 'controller')));
  const log = createLogger('controller', { level: 'silent' });
  for (const job of zipperJobs(objects)) await createObjectClient(kube, RESOURCES.jobs).create(job);
  await createObjectClient(kube, RESOURCES.zipCheckpoints).apply(
    withObjectMetadata(checkpoint, kube.objectMetadata),
    { fieldManager: FIELD_MANAGERS.controller },
  );
  const children = createProjectChildren({
    kube,
    log,
    metrics: {} as Parameters<typeof createProjectChildren>[0]['metrics'],
    settings: {},
    network: zipperNetworkOf(config),
    onProject: () => undefined,
  });
  for (const child of children.of(project)) await children.create(child);
  const record = createEvents({
    kind: 'ZipProject',
    events: createObjectClient(kube, RESOURCES.events),
    instance: 'controller',
    clock: systemClock,
    log,
  });
  await record(project, { type: 'Normal', reason: 'ProjectReady', message: 'ready' });
  await createLeaseLock({
    leases: createObjectClient(kube, RESOURCES.leases),
    namespace: NAMESPACE,
    name: config.leaseName,
    identity: 'a',
    leaseDurationMs: 15_000,
    clock: systemClock,
  }).acquire(new AbortController().signal);
  return created;
}

async function byApi(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const { kube, created } = createRecorder(objects, 'api');
  const list = { chunks: [Buffer.from('x')], count: 1, sha256: '0'.repeat(64) };
  const sourceBuckets: readonly object[] = [];
  const request = {
    service: 's3',
    bucketName: 'archives',
    key: 'a.zip',
    metadata: '{}',
    options: {},
    sourceBuckets,
    list,
  };
  const zipJob = toZipJob({
    request: request as unknown as Parameters<typeof toZipJob>[0]['request'],
    project,
    uuid: UUID,
    instance: 'zipjobs',
    acceptedAt: new Date(0),
    createdBy: 'token',
    requestId: 'request-1',
  });
  await createObjectClient(kube, RESOURCES.zipJobs).create(zipJob);
  const owner = { ...zipJob, metadata: { ...zipJob.metadata, uid: 'j' } };
  for (const secret of toFileListSecrets(owner, request.list as never, 'zipjobs'))
    await createObjectClient(kube, RESOURCES.secrets).create(secret);
  return created;
}

/** The command line creates objects by the same code. */
async function byDashboard(objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
  const { kube, created } = createRecorder(objects, 'dashboard');
  const administration = createAdministration({ kube, clock: systemClock });
  const bucket = { service: 's3', bucketName: 'archives', region: 'eu-central-1' };
  await administration.projects().create({ namespace: PROJECT, createNamespace: true });
  await administration
    .buckets(PROJECT)
    .create(bucket, { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'x'.repeat(40) });
  await administration.tokens(PROJECT).create({ permissions: ['create', 'read'] });
  await administration.webhooks(PROJECT).set({ url: 'https://hooks.example.com/' });
  const files = [{ url: 'https://example.com/a', filename: 'a' }];
  const rules = { urlProblem: () => undefined, maxFiles: 10, maxUrlLength: 100, maxKeyBytes: 100 };
  await administration
    .newJobs(PROJECT)
    .create({ service: 's3', bucketName: 'archives', uuid: UUID, key: 'a.zip', files }, rules);
  const job = created.find(({ kind }) => kind === 'ZipJob') as unknown as ZipJob;
  await createObjectClient(kube, RESOURCES.zipJobs).mergePatch(job.metadata, { status: { phase: 'Failed' } });
  await administration.jobs(PROJECT, { namesOnly: true }).runAgain(job.metadata.name);
  return created;
}

const CREATORS: Readonly<
  Record<Component, (objects: readonly KubeObject[]) => Promise<readonly KubeObject[]>>
> = { api: byApi, controller: byController, dashboard: byDashboard };

/** By the component that creates them. Without the dashboard, it creates nothing. */
export async function createdObjects(
  objects: readonly KubeObject[],
): Promise<ReadonlyMap<Component, readonly KubeObject[]>> {
  const names = Object.keys(CREATORS) as Component[];
  const installed = names.filter((name) =>
    objects.some(({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith(`-${name}`)),
  );
  return new Map(
    await Promise.all(installed.map(async (name) => [name, await CREATORS[name](objects)] as const)),
  );
}

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

function isRule(value: unknown): value is Rule {
  return isRecord(value) && Array.isArray(value['verbs']) && Array.isArray(value['resources']);
}

/** The plurals of everything that a role of a component may create. */
export function creatableResources(objects: readonly KubeObject[], component: Component): readonly string[] {
  const roles = objects.filter(
    ({ kind, metadata }) =>
      kind.endsWith('Role') && metadata.labels?.['app.kubernetes.io/component'] === component,
  );
  const rules = roles.flatMap(({ rules: own }) => (Array.isArray(own) ? own.filter(isRule) : []));
  return [
    ...new Set(rules.filter(({ verbs }) => verbs.includes('create')).flatMap(({ resources }) => resources)),
  ].filter((resource) => !resource.endsWith('reviews'));
}
