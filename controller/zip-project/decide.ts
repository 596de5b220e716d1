import { isDeepStrictEqual } from 'node:util';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import {
  type Condition,
  type ConditionChange,
  findCondition,
  REASONS,
  setCondition,
  shorten,
} from '#crds/conditions.ts';
import type { ProjectWebhookState } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { holdsFinalizer } from '#runtime/kube/finalizer.ts';
import type { ProjectClass } from '#runtime/project-limits/project-classes.ts';
import type {
  ProjectAction,
  ProjectConfig,
  ProjectDecision,
  ProjectObservation,
  ProjectStatus,
  Remainder,
} from './observation.ts';
import { projectDeletion } from './project-deletion.ts';
import { type ProjectPurge, projectPurge } from './project-purge.ts';
import { projectWebhook } from './project-webhook.ts';

type Readiness = Pick<ConditionChange, 'status' | 'reason' | 'message'>;

const list = new Intl.ListFormat('en');

function classNote({ name, unknown }: ProjectClass): string {
  return unknown === undefined
    ? ''
    : ` The namespace has the class "${unknown}", which does not exist, so the limits of the class "${name}" apply.`;
}

function ready(kinds: readonly string[], projectClass: ProjectClass): Readiness {
  return {
    status: 'True',
    reason: 'ProjectReady',
    message: `${list.format(kinds)} ${ZIPPER_SERVICE_ACCOUNT} of the zippers ${kinds.length === 1 ? 'exists' : 'exist'}.${classNote(projectClass)}`,
  };
}

function notReady({ message }: Error): Readiness {
  return {
    status: 'False',
    reason: 'ProjectIncomplete',
    message: shorten(`${REASONS.ProjectIncomplete} ${message}`),
  };
}

/** Without the condition, nothing was ever left out. */
function withLeftOut(
  conditions: readonly Condition[],
  kinds: readonly string[],
  now: Date,
): readonly Condition[] {
  const type = 'ObjectsLeftOut';
  if (kinds.length > 0) {
    const message = `${REASONS.TooManyObjects} Kinds: ${list.format(kinds)}.`;
    return setCondition(conditions, { type, status: 'True', reason: 'TooManyObjects', message }, now);
  }
  const change = { type, status: 'False', reason: 'AllKept', message: REASONS.AllKept } as const;
  return findCondition(conditions, type) ? setCondition(conditions, change, now) : conditions;
}

/** Without the condition, no policy ever refused an object. */
function withRefused(
  conditions: readonly Condition[],
  refusal: string | undefined,
  now: Date,
): readonly Condition[] {
  const type = 'ObjectsRefused';
  if (refusal !== undefined) {
    const message = shorten(`${REASONS.RefusedByPolicy} ${refusal}`);
    return setCondition(conditions, { type, status: 'True', reason: 'RefusedByPolicy', message }, now);
  }
  const change = { type, status: 'False', reason: 'NoneRefused', message: REASONS.NoneRefused } as const;
  return findCondition(conditions, type) ? setCondition(conditions, change, now) : conditions;
}

/** Why a policy refuses an object of the project itself, or else of one of its jobs. */
function refusalOf({
  failure,
  refusal,
}: Pick<ProjectObservation, 'failure' | 'refusal'>): string | undefined {
  return isKubeError(failure) && failure.policy !== undefined ? failure.message : refusal;
}

interface Next {
  readonly webhook: ProjectWebhookState | undefined;
  readonly purge: Pick<ProjectPurge, 'record' | 'condition'>;
  readonly now: Date;
}

/** The next status, if it differs. */
function changed(
  seen: Pick<ProjectObservation, 'project' | 'projectClass' | 'leftOut' | 'failure' | 'refusal'>,
  readiness: Readiness,
  { webhook, purge, now }: Next,
): Pick<ProjectDecision, 'status'> {
  const { project, projectClass, leftOut = [] } = seen;
  const { name, limits } = projectClass;
  const { generation } = project.metadata;
  const change = {
    type: 'Ready',
    ...readiness,
    ...defined({ observedGeneration: generation }),
  } as const;
  const kept = withLeftOut(setCondition(project.status?.conditions, change, now), leftOut, now);
  const conditions = withRefused(kept, refusalOf(seen), now);
  const status: ProjectStatus = {
    conditions: purge.condition ? setCondition(conditions, purge.condition, now) : conditions,
    ...(webhook && { webhook }),
    ...(purge.record && { historyPurge: purge.record }),
    class: { name, limits },
  };
  return isDeepStrictEqual(status, project.status) ? {} : { status };
}

function leaving(
  seen: ProjectObservation,
  remainder: Remainder,
  at: { readonly now: Date; readonly config: ProjectConfig },
): ProjectDecision {
  const { project } = seen;
  if (!holdsFinalizer(project.metadata)) return { actions: [] };
  const { now, config } = at;
  const next = projectDeletion(
    { project, ...remainder },
    { now, projectDeletionSeconds: config.projectDeletionSeconds },
  );
  if (next.kind === 'release')
    return { actions: [{ kind: 'releaseFinalizer', ...(next.forced && { forced: next.forced }) }] };
  const { cancel, message, until } = next;
  const readiness = { status: 'False', reason: 'ProjectDeleting', message: shorten(message) } as const;
  return {
    // All records of a deleted project are deleted in any case.
    ...changed(seen, readiness, {
      webhook: project.status?.webhook,
      purge: { record: project.status?.historyPurge },
      now,
    }),
    actions: cancel.map(({ metadata }): ProjectAction => ({ kind: 'cancelJob', name: metadata.name })),
    requeueAfterMs: Math.max(0, until.getTime() - now.getTime()),
  };
}

function keeping(seen: ProjectObservation, now: Date, config: ProjectConfig): ProjectDecision {
  const { children, failure, projectClass } = seen;
  const missing = children.filter(({ isPresent }) => !isPresent);
  if (missing.length > 0 && !failure)
    return { actions: missing.map((child): ProjectAction => ({ kind: 'createChild', child })) };
  const { state, actions } = projectWebhook(seen, now, config);
  const purge = projectPurge(seen, now);
  const readiness = failure
    ? notReady(failure)
    : ready(
        children.map(({ kind }) => kind),
        projectClass,
      );
  return {
    ...changed(seen, readiness, { webhook: state, purge, now }),
    actions: [...actions, ...purge.actions],
    ...(failure && { failure }),
  };
}

/** Decides the next step for one ZipProject. Pure: the decision depends only on the arguments. */
export function decideProject(seen: ProjectObservation, now: Date, config: ProjectConfig): ProjectDecision {
  const { project, remainder } = seen;
  if (remainder) return leaving(seen, remainder, { now, config });
  if (!holdsFinalizer(project.metadata)) return { actions: [{ kind: 'addFinalizer' }] };
  return keeping(seen, now, config);
}
