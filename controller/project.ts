import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGERS, GROUP_VERSION, LABELS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { REASONS, setCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { RoleBinding, ServiceAccount } from '#runtime/kube/resources.ts';
import type { KubeObject, ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import type { ProjectWebhook } from './project-webhook.ts';

type Applied = KubeObject & Readonly<Record<string, unknown>>;

export interface ProjectOptions {
  readonly find: (key: string) => ZipProject | undefined;
  readonly projects: Pick<ObjectClient<ZipProject>, 'apply'>;
  readonly serviceAccounts: Pick<ObjectClient<ServiceAccount>, 'apply'>;
  readonly roleBindings: Pick<ObjectClient<RoleBinding>, 'apply'>;
  readonly webhook: (project: ZipProject) => ProjectWebhook;
  /** Told of a project that is no more. */
  readonly onGone: (key: ObjectKey) => void;
  readonly clock: Clock;
}

const childMeta = ({ metadata }: ZipProject) => ({
  name: ZIPPER_SERVICE_ACCOUNT,
  namespace: metadata.namespace,
  labels: { [LABELS.partOf]: 'zipjobs', [LABELS.managedBy]: 'zipjobs-controller' },
  ownerReferences: [
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      name: metadata.name,
      uid: metadata.uid ?? '',
      controller: true,
    },
  ],
});

/** The identity of the zippers in a project. Its token is mounted by each pod that needs one, never by itself. */
const zipperServiceAccount = (project: ZipProject): Applied => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: childMeta(project),
  automountServiceAccountToken: false,
});

/** Lets the zippers of a project patch the status of its ZipJobs; admission policies narrow that to their own. */
const zipperRoleBinding = (project: ZipProject): Applied => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: childMeta(project),
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ZIPPER_SERVICE_ACCOUNT },
  subjects: [{ kind: 'ServiceAccount', name: ZIPPER_SERVICE_ACCOUNT, namespace: project.metadata.namespace }],
});

/** The controller's part of the status, always all of it: what an apply omits is removed. */
const writeStatus = async (options: ProjectOptions, project: ZipProject): Promise<void> => {
  const { name, namespace, generation, resourceVersion } = project.metadata;
  const before = project.status?.conditions;
  const change = {
    type: 'Ready',
    status: 'True',
    reason: 'ProjectReady',
    message: REASONS.ProjectReady,
    ...(generation !== undefined && { observedGeneration: generation }),
  } as const;
  const conditions = setCondition(before, change, options.clock.date());
  const { state: webhook, written } = options.webhook(project);
  const status = { conditions, ...(webhook && { webhook }) };
  if (isDeepStrictEqual(status, project.status)) {
    written();
    return;
  }
  await options.projects.apply(
    {
      apiVersion: GROUP_VERSION,
      kind: 'ZipProject',
      metadata: { name, namespace, ...(resourceVersion !== undefined && { resourceVersion }) },
      status,
    },
    { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
  );
  written();
};

/** Sees to what a project needs in its namespace before zippers can run there. */
export const createReconcileProject =
  (options: ProjectOptions) =>
  async (key: string): Promise<void> => {
    const project = options.find(key);
    if (!project) options.onGone(key);
    if (!project || project.metadata.deletionTimestamp !== undefined) return;
    const by = { fieldManager: FIELD_MANAGERS.controller };
    try {
      await options.serviceAccounts.apply(zipperServiceAccount(project), by);
      await options.roleBindings.apply(zipperRoleBinding(project), by);
      await writeStatus(options, project);
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'NamespaceTerminating')) throw error;
    }
  };
