import type {
  CoreV1Event,
  V1Deployment,
  V1Job,
  V1Lease,
  V1Namespace,
  V1NetworkPolicy,
  V1Pod,
  V1RoleBinding,
  V1Secret,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { GROUP_VERSION, type Kind, PLURALS } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipCheckpoint } from '#crds/zip-checkpoint.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { decoderOf, type Shape } from './client/decode.ts';
import type { KubeObject, ResourceDefinition } from './types.ts';

/** A type of the Kubernetes client as JSON: dates are strings, and all fields are readonly. */
type Wire<T> = T extends Date
  ? string
  : T extends readonly (infer E)[]
    ? readonly Wire<E>[]
    : T extends object
      ? { readonly [K in keyof T]: Wire<T[K]> }
      : T;

/** A built-in kind as JSON, with the metadata that this project reads. */
type WireObject<T extends { metadata?: unknown }> = Omit<Wire<T>, 'metadata' | 'kind' | 'apiVersion'> & {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
};

export type Job = WireObject<V1Job>;
type WirePod = WireObject<V1Pod>;
/** Only the part of the spec that this project reads. */
export type Pod = Omit<WirePod, 'spec'> & {
  readonly spec?: Pick<NonNullable<WirePod['spec']>, 'nodeName' | 'serviceAccountName' | 'volumes'>;
};
/** `data` holds base64. */
export type Secret = WireObject<V1Secret>;
export type Event = WireObject<CoreV1Event>;
export type Deployment = WireObject<V1Deployment>;
export type Lease = WireObject<V1Lease>;
export type ServiceAccount = WireObject<V1ServiceAccount>;
export type RoleBinding = WireObject<V1RoleBinding>;
export type NetworkPolicy = WireObject<V1NetworkPolicy>;
export type Namespace = WireObject<V1Namespace>;

function ours<T extends KubeObject>(kind: Kind): ResourceDefinition<T> {
  return {
    apiVersion: GROUP_VERSION,
    plural: PLURALS[kind],
    kind,
    decode: decoderOf<T>({ kind, required: ['spec'], optional: ['status'] }),
  };
}

function builtIn<T extends KubeObject>(
  at: { readonly apiVersion: string; readonly plural: string },
  shape: Shape,
): ResourceDefinition<T> {
  return {
    ...at,
    kind: shape.kind,
    scope: shape.scope ?? 'Namespaced',
    decode: decoderOf<T>(shape),
  };
}

/** Every kind that this project reads or writes. */
export const RESOURCES = {
  zipJobs: ours<ZipJob>('ZipJob'),
  zipBuckets: ours<ZipBucket>('ZipBucket'),
  zipTokens: ours<ZipToken>('ZipToken'),
  zipProjects: ours<ZipProject>('ZipProject'),
  zipCheckpoints: ours<ZipCheckpoint>('ZipCheckpoint'),
  jobs: builtIn<Job>(
    { apiVersion: 'batch/v1', plural: 'jobs' },
    { kind: 'Job', required: ['spec'], optional: ['status'] },
  ),
  pods: builtIn<Pod>(
    { apiVersion: 'v1', plural: 'pods' },
    { kind: 'Pod', required: ['spec'], optional: ['status'] },
  ),
  secrets: builtIn<Secret>({ apiVersion: 'v1', plural: 'secrets' }, { kind: 'Secret', optional: ['data'] }),
  events: builtIn<Event>(
    { apiVersion: 'v1', plural: 'events' },
    { kind: 'Event', required: ['involvedObject'] },
  ),
  deployments: builtIn<Deployment>(
    { apiVersion: 'apps/v1', plural: 'deployments' },
    { kind: 'Deployment', required: ['spec'], optional: ['status'] },
  ),
  leases: builtIn<Lease>(
    { apiVersion: 'coordination.k8s.io/v1', plural: 'leases' },
    { kind: 'Lease', optional: ['spec'] },
  ),
  serviceAccounts: builtIn<ServiceAccount>(
    { apiVersion: 'v1', plural: 'serviceaccounts' },
    { kind: 'ServiceAccount' },
  ),
  roleBindings: builtIn<RoleBinding>(
    { apiVersion: 'rbac.authorization.k8s.io/v1', plural: 'rolebindings' },
    { kind: 'RoleBinding', required: ['roleRef'] },
  ),
  networkPolicies: builtIn<NetworkPolicy>(
    { apiVersion: 'networking.k8s.io/v1', plural: 'networkpolicies' },
    { kind: 'NetworkPolicy', required: ['spec'] },
  ),
  namespaces: builtIn<Namespace>(
    { apiVersion: 'v1', plural: 'namespaces' },
    { kind: 'Namespace', scope: 'Cluster', optional: ['spec', 'status'] },
  ),
} as const;
