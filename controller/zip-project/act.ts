import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { type ObjectClient, objectKey } from '#runtime/kube/types.ts';
import type { Purges } from '../history/purges.ts';
import type { ApplyStatus } from '../reconciling/apply-status.ts';
import type { RecordEvent } from '../reconciling/events.ts';
import type { Finalizers } from '../reconciling/finalizers.ts';
import { type Outcome, tolerateChanges } from '../reconciling/reconcile.ts';
import type { WebhookDispatcher } from '../webhook/dispatcher.ts';
import type { EndpointNotes } from '../webhook/endpoint-notes.ts';
import { type PlanTest, testKeyOf } from '../webhook/test-event.ts';
import type {
  ProjectAction,
  ProjectChild,
  ProjectDecision,
  ProjectHints,
  ProjectObservation,
  ProjectStatus,
} from './observation.ts';
import type { ProjectChildren } from './project-children.ts';

export interface ActOnProjectOptions {
  readonly applyStatus: ApplyStatus<ZipProject, ProjectStatus>;
  readonly finalizers: Finalizers<ZipProject>;
  readonly children: Pick<ProjectChildren, 'create'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'mergePatch'>;
  readonly notes: Pick<EndpointNotes, 'written'>;
  readonly dispatcher: Pick<WebhookDispatcher, 'submit' | 'acknowledge'>;
  readonly planTest: PlanTest;
  /** Undefined without a history. */
  readonly purges: Pick<Purges, 'start' | 'forget'> | undefined;
  /** Never throws. */
  readonly recordEvent: (...event: Parameters<RecordEvent>) => void;
}

/** Actions that send a request to the API server. */
const REQUESTS = ['addFinalizer', 'releaseFinalizer', 'createChild', 'cancelJob'] as const;
type NotedAction = Exclude<ProjectAction, { readonly kind: (typeof REQUESTS)[number] }>;

function isNoted(action: ProjectAction): action is NotedAction {
  return !(REQUESTS as readonly string[]).includes(action.kind);
}

/** Returns a failure, so that the next round reports it in the status. Rethrows an error that means a missing namespace. */
async function createChild(options: ActOnProjectOptions, child: ProjectChild): Promise<ProjectHints> {
  try {
    await options.children.create(child);
    return { created: [child.kind] };
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'NamespaceTerminating')) throw error;
    return { failure: toError(error) };
  }
}

async function cancel(
  { zipJobs }: ActOnProjectOptions,
  target: { readonly namespace: string; readonly name: string },
): Promise<void> {
  try {
    await zipJobs.mergePatch(target, { spec: { cancel: true } });
  } catch (error) {
    if (!isKubeError(error, 'NotFound')) throw error;
  }
}

/** Hands an action to another part of this process. */
function note(options: ActOnProjectOptions, project: ZipProject, action: NotedAction): void {
  const { dispatcher, notes, planTest, purges } = options;
  switch (action.kind) {
    case 'sendTest':
      dispatcher.submit(planTest(project, action.endpoint, action.nonce));
      break;
    case 'acknowledgeTest':
      dispatcher.acknowledge(testKeyOf(objectKey(project)), action.endpoint);
      break;
    case 'startPurge':
      purges?.start(objectKey(project), action.order);
      break;
    case 'forgetPurge':
      purges?.forget(objectKey(project));
      break;
    case 'recordEvent':
      options.recordEvent(project, action.note);
      break;
    case 'forgetResponses':
      notes.written(project.metadata.namespace, action.responses);
      break;
  }
}

async function perform(
  options: ActOnProjectOptions,
  project: ZipProject,
  action: ProjectAction,
): Promise<ProjectHints> {
  const { namespace } = project.metadata;
  const { finalizers } = options;
  if (isNoted(action)) {
    note(options, project, action);
    return {};
  }
  switch (action.kind) {
    case 'addFinalizer':
      await finalizers.add(project);
      return {};
    case 'releaseFinalizer':
      await finalizers.release(project, action.forced);
      return {};
    case 'createChild':
      return createChild(options, action.child);
    case 'cancelJob':
      await cancel(options, { namespace, name: action.name });
      return {};
  }
}

async function performAll(
  options: ActOnProjectOptions,
  project: ZipProject,
  actions: readonly ProjectAction[],
): Promise<Outcome<ProjectHints>> {
  const created: string[] = [];
  for (const action of actions) {
    const hints = await perform(options, project, action);
    if (hints.failure) return { kind: 'again', hints: { failure: hints.failure } };
    created.push(...(hints.created ?? []));
  }
  return created.length > 0 ? { kind: 'again', hints: { created } } : { kind: 'done' };
}

/** Carries out a decision about a ZipProject: writes the status, then runs the actions in order. */
export function createActOnProject(options: ActOnProjectOptions) {
  return ({ project }: ProjectObservation, decision: ProjectDecision): Promise<Outcome<ProjectHints>> =>
    tolerateChanges(async () => {
      if (decision.status) await options.applyStatus(project, decision.status);
      const outcome = await performAll(options, project, decision.actions);
      if (decision.failure) throw decision.failure;
      return outcome;
    });
}
