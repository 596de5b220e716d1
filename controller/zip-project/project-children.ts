import { FIELD_MANAGERS, projectKey, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import { withObjectMetadata } from '#runtime/kube/client/object-metadata.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import {
  type KubeObject,
  type ObjectClient,
  type ObjectKey,
  objectKey,
  type Reflector,
  type ResourceDefinition,
} from '#runtime/kube/types.ts';
import { createReflector } from '#runtime/kube/watch/reflector.ts';
import type { ReflectorMetrics, ReflectorSettings } from '#runtime/kube/watch/reflector-options.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { ProjectChild } from './observation.ts';
import {
  type Wanted,
  type ZipperNetwork,
  zipperNetworkPolicy,
  zipperRoleBinding,
  zipperServiceAccount,
} from './project-objects.ts';

/** One kind of object that every project has. */
export interface ChildKind {
  readonly kind: string;
  readonly cache: Pick<Reflector<KubeObject>, 'get' | 'run' | 'synced'>;
  readonly client: Pick<ObjectClient<KubeObject>, 'apply'>;
  readonly wanted: (project: ZipProject) => Wanted;
}

export interface ProjectChildren {
  /** The objects of a project, and whether each exists with every wanted field. */
  of(project: ZipProject): readonly ProjectChild[];
  /** Creates or restores an object. */
  create(child: Pick<ProjectChild, 'kind' | 'wanted'>): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
  synced(signal: AbortSignal): Promise<void>;
}

/** True if every wanted field exists; ignores fields added by the API server or others. */
export function includes(live: unknown, wanted: unknown): boolean {
  if (Array.isArray(wanted))
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((item, index) => includes(live[index], item))
    );
  if (isRecord(wanted))
    return isRecord(live) && Object.entries(wanted).every(([name, value]) => includes(live[name], value));
  return live === wanted;
}

function withoutKind({ apiVersion: _version, kind: _kind, ...fields }: Wanted): unknown {
  return fields;
}

/** Maintains the objects of projects by kind. */
export function childrenOf(kinds: readonly ChildKind[]): ProjectChildren {
  return {
    of: (project) =>
      kinds.map(({ kind, cache, wanted: wantedFor }) => {
        const wanted = wantedFor(project);
        const live = cache.get(objectKey(wanted));
        return { kind, wanted, isPresent: live !== undefined && includes(live, withoutKind(wanted)) };
      }),
    create: async ({ kind, wanted }) => {
      const owner = kinds.find((one) => one.kind === kind);
      await owner?.client.apply(wanted, { fieldManager: FIELD_MANAGERS.controller });
    },
    run: async (signal) => {
      await Promise.all(kinds.map(({ cache }) => cache.run(signal)));
    },
    synced: async (signal) => {
      await Promise.all(kinds.map(({ cache }) => cache.synced(signal)));
    },
  };
}

export interface ProjectChildrenOptions {
  readonly kube: KubeClient;
  readonly log: Logger;
  readonly metrics: ReflectorMetrics;
  readonly settings: Partial<ReflectorSettings>;
  readonly network: ZipperNetwork | undefined;
  /** Called for every project whose objects changed or were deleted. */
  readonly onProject: (key: ObjectKey) => void;
}

/** Watches the objects of this name in all namespaces, so that deletions and changes are reverted at once. */
export function createProjectChildren(options: ProjectChildrenOptions): ProjectChildren {
  const { kube, log, metrics, settings, network, onProject } = options;
  function childKind<T extends KubeObject>(
    definition: ResourceDefinition<T>,
    wanted: ChildKind['wanted'],
  ): ChildKind {
    return {
      kind: definition.kind,
      client: createObjectClient(kube, definition),
      // A change of the operator's labels and annotations reaches existing objects too.
      wanted: (project) => withObjectMetadata(wanted(project), kube.objectMetadata),
      cache: createReflector({
        kube,
        log,
        metrics,
        settings,
        definition,
        fieldSelector: `metadata.name=${ZIPPER_SERVICE_ACCOUNT}`,
        onChange: ({ key }) => onProject(projectKey(key.split('/', 1).join())),
      }),
    };
  }
  return childrenOf([
    childKind(RESOURCES.serviceAccounts, zipperServiceAccount),
    childKind(RESOURCES.roleBindings, zipperRoleBinding),
    ...(network
      ? [childKind(RESOURCES.networkPolicies, (project) => zipperNetworkPolicy(project, network))]
      : []),
  ]);
}
