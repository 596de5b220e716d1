/** What an attacker would try on each resource that a role grants: objects that are not ours, and changes that we never make. */
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';
import { type ApiResource, pathOf, resourceName } from './api-resources.ts';

type Body = Readonly<Record<string, unknown>>;

interface Target {
  /** The object that exists in each namespace, and belongs to somebody else. Default: `other`. */
  readonly name?: string;
  /** Fields besides name and namespace. Without them, nobody may create such an object, and none exists. */
  readonly body?: Body;
  /** True if the body also names its namespace. */
  readonly isAboutNamespace?: boolean;
  /** What a merge patch changes. Default: a label. */
  readonly patch?: Body;
  /** Names that a role may be restricted to. */
  readonly named?: readonly string[];
  /** Exists in the release's namespace only. */
  readonly isReleases?: boolean;
  /** Projects have those with a name already. */
  readonly isProjects?: boolean;
}

const POD_SPEC = {
  nodeSelector: { 'policy-test': 'nowhere' },
  restartPolicy: 'Never',
  containers: [{ name: 'a', image: 'a' }],
};
const ZIPPER = 'zipjobs-zipper';
const ZIP_JOB = {
  bucketRef: { name: 's3-other' },
  key: 'a.zip',
  files: [{ url: 'https://example.com/a', filename: 'a' }],
};
// This binding exists, so its subject must not be one of the accounts.
const SOMEBODY = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'somebody' };
const EVERYONE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' };
const ROLE = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ZIPPER };

/** By group and resource. A role that grants a write on another resource fails the run: describe it here. */
const TARGETS: Readonly<Record<string, Target>> = {
  '/pods': { body: { spec: POD_SPEC } },
  '/pods/status': { patch: { status: { podIP: '192.0.2.1' } } },
  '/secrets': { body: { stringData: { password: 'x' } }, named: ['zipjobs-webhook'] },
  '/events': {
    isAboutNamespace: true,
    body: {
      source: { component: 'kubelet' },
      reason: 'Test',
      message: 'x',
    },
  },
  '/serviceaccounts': {
    body: {},
    named: [ZIPPER, 'zipjobs-controller'],
    isProjects: true,
    patch: { metadata: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/admin' } } },
  },
  '/configmaps': { named: ['zipjobs-release'] },
  // Only asks a question: nothing is stored.
  'authentication.k8s.io/tokenreviews': {},
  'batch/jobs': { body: { spec: { template: { spec: POD_SPEC } } } },
  'coordination.k8s.io/leases': { body: {}, named: ['zipjobs-controller'], isReleases: true },
  'discovery.k8s.io/endpointslices': { named: ['kubernetes'] },
  'networking.k8s.io/networkpolicies': { body: { spec: { podSelector: {} } }, named: [ZIPPER] },
  'rbac.authorization.k8s.io/rolebindings': {
    body: { roleRef: ROLE, subjects: [SOMEBODY] },
    named: [ZIPPER],
    isProjects: true,
    patch: { subjects: [EVERYONE] },
  },
  'zipjobs.dev/zipjobs': { body: { spec: ZIP_JOB } },
  'zipjobs.dev/zipjobs/status': { patch: { status: { phase: 'Failed' } } },
  'zipjobs.dev/zipbuckets': {
    name: 's3-other',
    body: { spec: { service: 's3', bucketName: 'other', region: 'us-east-1' } },
  },
  'zipjobs.dev/zipbuckets/status': { name: 's3-other', patch: { status: { activeJobs: 7 } } },
  'zipjobs.dev/zipcheckpoints': { body: { spec: { zipJobUid: 'x', activePodUid: 'y' } } },
  'zipjobs.dev/zipcheckpoints/status': {
    patch: { status: { sequence: 1, uploadId: 'u', owner: 'p', plan: '0'.repeat(64), records: 'AAAA' } },
  },
  'zipjobs.dev/zipprojects': { name: 'project', body: { spec: {} } },
  'zipjobs.dev/zipprojects/status': {
    name: 'project',
    patch: { status: { webhook: { state: 'Disabled' } } },
  },
  'zipjobs.dev/ziptokens': {
    body: { spec: { sha256: '0'.repeat(64), masked: 'aaaa...aaaa', permissions: ['read'] } },
  },
  'zipjobs.dev/ziptokens/status': { patch: { status: { lastUsedAt: '2026-01-01T00:00:00Z' } } },
};

export function targetOf(resource: ApiResource): Target {
  return TARGETS[`${resource.group}/${resourceName(resource)}`] ?? {};
}

export function isDescribed(resource: ApiResource): boolean {
  return `${resource.group}/${resourceName(resource)}` in TARGETS;
}

/** The name of somebody else's object. */
export function foreignName(resource: ApiResource): string {
  return targetOf(resource).name ?? 'other';
}

export function bodyOf(resource: ApiResource, name: string, namespace: string | undefined): Manifest {
  const { body = {}, isAboutNamespace = false } = targetOf(resource);
  return {
    apiVersion: pathOf(resource).replace(/^\/apis?\//, ''),
    kind: resource.kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    ...body,
    ...(isAboutNamespace && { involvedObject: { apiVersion: 'v1', kind: 'Pod', name: 'other', namespace } }),
  };
}

export function patchOf(resource: ApiResource): Body {
  return targetOf(resource).patch ?? { metadata: { labels: { attempt: 'x' } } };
}

/** Objects that must exist before anything is tried. The zipper's own are in the namespaces of projects already. */
export function foreignObjects(
  resources: readonly ApiResource[],
  { namespaces, projects }: { readonly namespaces: readonly string[]; readonly projects: readonly string[] },
): readonly Manifest[] {
  return resources
    .filter((resource) => targetOf(resource).body !== undefined)
    .flatMap((resource) => {
      const { isReleases = false, isProjects = false, named = [] } = targetOf(resource);
      return (isReleases ? [RELEASE_NAMESPACE] : namespaces).flatMap((namespace) => {
        const exist = isProjects && projects.includes(namespace) ? [] : named;
        return [foreignName(resource), ...exist].map((name) => bodyOf(resource, name, namespace));
      });
    });
}
