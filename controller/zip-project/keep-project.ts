import { isDeepStrictEqual } from 'node:util';
import { FIELD_MANAGERS, GROUP_VERSION, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { type ConditionChange, REASONS, setCondition, shorten } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Clock } from '#runtime/clock.ts';
import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { ObjectClient, ObjectKey } from '#runtime/kube/types.ts';
import type { ProjectChildren } from './project-children.ts';
import type { ProjectWebhook } from './project-webhook.ts';

export interface ProjectOptions {
  readonly find: (key: string) => ZipProject | undefined;
  readonly projects: Pick<ObjectClient<ZipProject>, 'apply'>;
  readonly children: Pick<ProjectChildren, 'ensure'>;
  readonly webhook: (project: ZipProject) => ProjectWebhook;
  /** Called with a project that no longer exists. */
  readonly onGone: (key: ObjectKey) => void;
  readonly clock: Clock;
}

type Readiness = Pick<ConditionChange, 'status' | 'reason' | 'message'>;

const list = new Intl.ListFormat('en');

const ready = (kinds: readonly string[]): Readiness => ({
  status: 'True',
  reason: 'ProjectReady',
  message: `${list.format(kinds)} ${ZIPPER_SERVICE_ACCOUNT} of the zippers ${kinds.length === 1 ? 'exists' : 'exist'}.`,
});

const notReady = (error: unknown): Readiness => ({
  status: 'False',
  reason: 'ProjectIncomplete',
  message: shorten(`${REASONS.ProjectIncomplete} ${toError(error).message}`),
});

/** Writes all status fields of the controller, because an apply removes the fields that it omits. */
const writeStatus = async (
  options: ProjectOptions,
  project: ZipProject,
  readiness: Readiness,
): Promise<void> => {
  const { name, namespace, generation, resourceVersion } = project.metadata;
  const before = project.status?.conditions;
  const change = {
    type: 'Ready',
    ...readiness,
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

const isTerminating = (error: unknown): boolean => isKubeError(error, 'NotFound', 'NamespaceTerminating');

/** Writes why the project is not ready, then rethrows the error so that the queue retries with backoff. */
const failed = async (options: ProjectOptions, project: ZipProject, error: unknown): Promise<never> => {
  if (!isTerminating(error)) await writeStatus(options, project, notReady(error));
  throw error;
};

/** Creates what a project needs in its namespace before zippers can run there. */
export const createReconcileProject =
  (options: ProjectOptions) =>
  async (key: string): Promise<void> => {
    const project = options.find(key);
    if (!project) options.onGone(key);
    if (!project || project.metadata.deletionTimestamp !== undefined) return;
    try {
      const kinds = await options.children
        .ensure(project)
        .catch((error: unknown) => failed(options, project, error));
      await writeStatus(options, project, ready(kinds));
    } catch (error) {
      if (!isTerminating(error)) throw error;
    }
  };
