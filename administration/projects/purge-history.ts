import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { runCommand, sendCommand } from '../changes/controller-command.ts';
import { requiredProject } from '../changes/required-project.ts';
import type { WaitForOptions } from '../changes/wait-for.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { type HistoryPurgeView, toHistoryPurge } from './project-view.ts';

type Client = Pick<ObjectClient<ZipProject>, 'get' | 'mergePatch'>;

function commandFor(namespace: string) {
  return {
    target: { namespace, name: PROJECT_NAME },
    annotation: ANNOTATIONS.purgeHistory,
  };
}

function isAcknowledged({ status }: ZipProject, nonce: string): boolean {
  return status?.historyPurge?.nonce === nonce && status.historyPurge.finishedAt !== undefined;
}

/** Says how far it is, if the controller has started it. */
function timedOut(namespace: string, { limitMs }: WaitForOptions) {
  return (project: ZipProject | undefined): string | undefined => {
    const purge = project && toHistoryPurge(project);
    if (!purge || purge.finishedAt !== null) return undefined;
    return `The history of project "${namespace}" is not deleted after ${Math.round(limitMs / 1000)} s (${purge.records} records so far). The controller continues. Check with: zipjobs project show ${namespace}. Its last message: ${purge.message ?? 'none'}`;
  };
}

/**
 * Deletes all records of a project from the history, and waits until it is done.
 * @throws AdministrationError NotFound; Refused without a history; TimedOut with the last message of the controller
 */
export async function purgeHistory(
  client: Client,
  namespace: string,
  wait: WaitForOptions,
): Promise<HistoryPurgeView> {
  await requiredProject(client, namespace);
  const command = {
    ...commandFor(namespace),
    what: 'Deleting the history of the project',
    isAcknowledged,
    timedOut: timedOut(namespace, wait),
  };
  const purge = toHistoryPurge(await runCommand(client, command, wait));
  if (purge?.isComplete === true) return purge;
  throw new AdministrationError(
    `Could not delete the history of project "${namespace}": ${purge?.message ?? 'the controller reported no reason'}`,
    { code: 'Refused' },
  );
}

/** Starts the deletion without waiting. @throws AdministrationError NotFound */
export async function beginPurgeHistory(client: Client, namespace: string): Promise<void> {
  await requiredProject(client, namespace);
  await sendCommand(client, commandFor(namespace));
}
