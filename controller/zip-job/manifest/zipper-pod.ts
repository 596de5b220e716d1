import { ANNOTATIONS, bucketSecretName, ZIPPER_CONTAINER, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJobSpec } from '#crds/zip-job.ts';
import {
  BUCKET_SECRET_KEYS,
  BUCKET_TOKEN_FILE,
  FILE_LIST_SECRET_KEY,
  fileListMountName,
  ZIPPER_ENV,
  ZIPPER_PATHS,
} from '#crds/zipper-contract.ts';
import type { ZipperTask } from '#crds/zipper-task.ts';
import type { Job } from '#runtime/kube/resources.ts';
import type { DecisionConfig } from '../observation.ts';

type PodTemplate = NonNullable<Job['spec']>['template'];
type PodSpec = NonNullable<PodTemplate['spec']>;
type Container = PodSpec['containers'][number];
type Volume = NonNullable<PodSpec['volumes']>[number];
type EnvVar = NonNullable<Container['env']>[number];

const TOKEN_SECONDS = 600;
/** Life of the token for a security token service. The kubelet renews it after 80 % of that. */
const BUCKET_TOKEN_SECONDS = 3600;
/** Kubernetes' default of five minutes would delay the retry that long after a node died. */
const NODE_TOLERATION_SECONDS = 30;

export interface ZipperPod {
  /** True if the pod mounts a token for the API server. */
  readonly hasToken: boolean;
  readonly bucket: ZipBucket;
  /** Those of files, in the order of the task. Absent: none. */
  readonly sourceBuckets?: readonly ZipBucket[];
  readonly fileSecrets: readonly string[];
  readonly resources: NonNullable<ZipJobSpec['resources']>;
  /** Empty: the cluster's default. */
  readonly priorityClassName: string;
  readonly config: DecisionConfig;
  /** Trace context of the request, if it had one. */
  readonly traceparent?: string | undefined;
}

const VOLUMES = {
  task: 'task',
  bucket: 'bucket',
  sources: 'sources',
  files: 'files',
  token: 'api-token',
} as const;

const taskVolume: Volume = {
  name: VOLUMES.task,
  projected: {
    sources: [
      {
        downwardAPI: {
          items: [
            {
              path: 'task.json',
              fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${ANNOTATIONS.task}']` },
            },
          ],
        },
      },
    ],
  },
};

/** A token for the API server, without the namespace file that the automatic mount adds. */
const tokenVolume: Volume = {
  name: VOLUMES.token,
  projected: {
    sources: [
      { serviceAccountToken: { path: 'token', expirationSeconds: TOKEN_SECONDS } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    ],
  },
};

function filesVolume(secrets: readonly string[]): Volume {
  return {
    name: VOLUMES.files,
    projected: {
      sources: secrets.map((name, index) => ({
        secret: { name, items: [{ key: FILE_LIST_SECRET_KEY, path: fileListMountName(index) }] },
      })),
    },
  };
}

/**
 * The Secret of the bucket, or a token for its security token service. Without an audience that the operator allows, it is
 * empty, and the zipper reports the audience.
 */
function bucketVolume({ bucket: { metadata, spec }, config }: ZipperPod): Volume {
  const name = VOLUMES.bucket;
  const audience = spec.credentials?.webIdentity.audience;
  if (audience === undefined) return { name, secret: { secretName: bucketSecretName(metadata.name) } };
  if (!config.storeTokenAudiences.includes(audience)) return { name, emptyDir: {} };
  const token = { path: BUCKET_TOKEN_FILE, audience, expirationSeconds: BUCKET_TOKEN_SECONDS };
  return { name, projected: { sources: [{ serviceAccountToken: token }] } };
}

type Projection = NonNullable<NonNullable<Volume['projected']>['sources']>[number];

/** Key by key, because a projected volume puts a whole Secret into its root. Only temporary keys have a session token. */
function keysOf({ metadata }: ZipBucket, directory: string): readonly Projection[] {
  const name = bucketSecretName(metadata.name);
  const { accessKeyId, secretAccessKey, sessionToken } = BUCKET_SECRET_KEYS;
  function items(keys: readonly string[]) {
    return keys.map((key) => ({ key, path: `${directory}/${key}` }));
  }
  return [
    { secret: { name, items: items([accessKeyId, secretAccessKey]) } },
    { secret: { name, items: items([sessionToken]), optional: true } },
  ];
}

function projectionsOf(
  bucket: ZipBucket,
  directory: string,
  audiences: readonly string[],
): readonly Projection[] {
  const audience = bucket.spec.credentials?.webIdentity.audience;
  if (audience === undefined) return keysOf(bucket, directory);
  if (!audiences.includes(audience)) return [];
  const path = `${directory}/${BUCKET_TOKEN_FILE}`;
  return [{ serviceAccountToken: { path, audience, expirationSeconds: BUCKET_TOKEN_SECONDS } }];
}

/** The credentials of each source bucket, in a folder with its position in the task. */
function sourcesVolume(sourceBuckets: readonly ZipBucket[], config: DecisionConfig): Volume {
  return {
    name: VOLUMES.sources,
    projected: {
      sources: sourceBuckets.flatMap((bucket, index) =>
        projectionsOf(bucket, String(index), config.storeTokenAudiences),
      ),
    },
  };
}

interface Mount {
  readonly volume: Volume;
  readonly mountPath: string;
}

function mountsOf(pod: ZipperPod): readonly Mount[] {
  const { sourceBuckets = [] } = pod;
  return [
    { volume: taskVolume, mountPath: ZIPPER_PATHS.taskDir },
    { volume: bucketVolume(pod), mountPath: ZIPPER_PATHS.bucketDir },
    ...(sourceBuckets.length > 0
      ? [{ volume: sourcesVolume(sourceBuckets, pod.config), mountPath: ZIPPER_PATHS.sourcesDir }]
      : []),
    ...(pod.fileSecrets.length > 0
      ? [{ volume: filesVolume(pod.fileSecrets), mountPath: ZIPPER_PATHS.filesDir }]
      : []),
    ...(pod.hasToken ? [{ volume: tokenVolume, mountPath: ZIPPER_PATHS.serviceAccountDir }] : []),
  ];
}

function fieldEnv(name: string, fieldPath: string): EnvVar {
  return {
    name,
    valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
  };
}

/** The credentials of the proxies. Their Secrets are in the namespace of the project, like pull Secrets. */
function proxyEnv(secrets: DecisionConfig['zipperProxySecrets']): readonly EnvVar[] {
  return Object.entries(secrets).flatMap(([purpose, name]) =>
    (['username', 'password'] as const).map((key) => ({
      name: `${purpose}_PROXY_${key.toUpperCase()}`,
      valueFrom: { secretKeyRef: { name, key } },
    })),
  );
}

/** The operator's variables come first, so that those of the controller override them. */
function envOf({ config, traceparent }: ZipperPod): readonly EnvVar[] {
  const own: readonly EnvVar[] = [
    fieldEnv(ZIPPER_ENV.podName, 'metadata.name'),
    fieldEnv(ZIPPER_ENV.podUid, 'metadata.uid'),
    { name: ZIPPER_ENV.taskFile, value: ZIPPER_PATHS.taskFile },
    { name: ZIPPER_ENV.bucketDir, value: ZIPPER_PATHS.bucketDir },
    { name: ZIPPER_ENV.sourcesDir, value: ZIPPER_PATHS.sourcesDir },
    { name: ZIPPER_ENV.filesDir, value: ZIPPER_PATHS.filesDir },
    { name: ZIPPER_ENV.serviceAccountDir, value: ZIPPER_PATHS.serviceAccountDir },
    { name: ZIPPER_ENV.terminationLog, value: ZIPPER_PATHS.terminationLog },
    ...proxyEnv(config.zipperProxySecrets),
    ...(traceparent === undefined ? [] : [{ name: ZIPPER_ENV.traceparent, value: traceparent }]),
  ];
  const taken = new Set(own.map(({ name }) => name));
  const operators = Object.entries(config.zipperEnv).filter(([name]) => !taken.has(name));
  return [...operators.map(([name, value]) => ({ name, value })), ...own];
}

function texts(quantities: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
}

function resourcesOf({ resources: { requests, limits } }: ZipperPod): NonNullable<Container['resources']> {
  return {
    ...(requests && { requests: texts(requests) }),
    ...(limits && { limits: texts(limits) }),
  };
}

function containerOf(pod: ZipperPod): Container {
  return {
    name: ZIPPER_CONTAINER,
    image: pod.config.zipperImage,
    imagePullPolicy: pod.config.zipperImagePullPolicy,
    env: envOf(pod),
    resources: resourcesOf(pod),
    volumeMounts: mountsOf(pod).map(({ volume, mountPath }) => ({
      name: volume.name,
      mountPath,
      readOnly: true,
    })),
    terminationMessagePath: ZIPPER_PATHS.terminationLog,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    securityContext: pod.config.zipperPod.containerSecurityContext,
  };
}

function toleration(key: string): NonNullable<PodSpec['tolerations']>[number] {
  return {
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: NODE_TOLERATION_SECONDS,
  };
}

/** Labels and annotations of a zipper pod. The operator's come first, so that those of the controller override them. */
export function zipperPodMetadata(
  labels: Readonly<Record<string, string>>,
  task: ZipperTask,
  { zipperPod }: DecisionConfig,
): NonNullable<PodTemplate['metadata']> {
  return {
    labels: { ...zipperPod.labels, ...labels },
    annotations: { ...zipperPod.annotations, [ANNOTATIONS.task]: JSON.stringify(task) },
  };
}

/** The pod of one run of the zipper image. Only the task annotation contains text of the caller. */
export function zipperPodSpec(pod: ZipperPod): PodSpec {
  const { config, priorityClassName } = pod;
  const { spec } = config.zipperPod;
  return {
    ...spec,
    restartPolicy: 'Never',
    serviceAccountName: ZIPPER_SERVICE_ACCOUNT,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: config.zipperGraceSeconds,
    // Source hosts are full names. Trying every search domain first would multiply the DNS lookups.
    dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
    ...(priorityClassName === '' ? {} : { priorityClassName }),
    ...(config.zipperImagePullSecrets.length > 0
      ? { imagePullSecrets: config.zipperImagePullSecrets.map((name) => ({ name })) }
      : {}),
    tolerations: [
      ...(spec.tolerations ?? []),
      toleration('node.kubernetes.io/not-ready'),
      toleration('node.kubernetes.io/unreachable'),
    ],
    containers: [containerOf(pod)],
    volumes: mountsOf(pod).map(({ volume }) => volume),
  };
}
