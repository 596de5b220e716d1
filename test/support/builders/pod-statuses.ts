/** Statuses of zipper pods for tests of decisions. */
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { Pod } from '#runtime/kube/resources.ts';

export interface Ending {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: TerminationMessage | string;
}

function textOf(message: Ending['message']): { message?: string } {
  if (message === undefined) return {};
  return { message: typeof message === 'string' ? message : JSON.stringify(message) };
}

type ContainerState = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'] & object;

function podWith(phase: string, state: ContainerState): NonNullable<Pod['status']> {
  return {
    phase,
    containerStatuses: [
      {
        name: ZIPPER_CONTAINER,
        image: 'zipjobs-zipper:test',
        imageID: '',
        ready: false,
        restartCount: 0,
        state,
      },
    ],
  };
}

/** Status of a pod whose zipper has ended. */
export function ended({ exitCode, reason, message }: Ending): NonNullable<Pod['status']> {
  return podWith(exitCode === 0 ? 'Succeeded' : 'Failed', {
    terminated: {
      exitCode,
      ...textOf(message),
      reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    },
  });
}

/** Status of a pod whose zipper has ended beside a sidecar that runs on. */
export function endedBesideSidecar(ending: Ending): NonNullable<Pod['status']> {
  return { ...ended(ending), phase: 'Running' };
}

export function disrupted(exitCode: number): NonNullable<Pod['status']> {
  return {
    ...ended({ exitCode }),
    conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
  };
}

export function waitingFor(reason: string, message: string): NonNullable<Pod['status']> {
  return podWith('Pending', { waiting: { reason, message } });
}

export function failureMessage(
  code: string,
  more: { message?: string; fileIndex?: number; httpStatus?: number; retriable?: boolean } = {},
): TerminationMessage {
  return {
    contractVersion: CONTRACT_VERSION,
    mode: 'archive',
    failure: { code, retriable: false, ...more },
  };
}
