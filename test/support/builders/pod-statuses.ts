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

const textOf = (message: Ending['message']): { message?: string } => {
  if (message === undefined) return {};
  return { message: typeof message === 'string' ? message : JSON.stringify(message) };
};

type ContainerState = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state'] & object;

const podWith = (phase: string, state: ContainerState): NonNullable<Pod['status']> => ({
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
});

/** Status of a pod whose zipper has ended. */
export const ended = ({ exitCode, reason, message }: Ending): NonNullable<Pod['status']> =>
  podWith(exitCode === 0 ? 'Succeeded' : 'Failed', {
    terminated: {
      exitCode,
      ...textOf(message),
      reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
    },
  });

export const disrupted = (exitCode: number): NonNullable<Pod['status']> => ({
  ...ended({ exitCode }),
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
});

export const waitingFor = (reason: string, message: string): NonNullable<Pod['status']> =>
  podWith('Pending', { waiting: { reason, message } });

export const failureMessage = (
  code: string,
  more: { message?: string; fileIndex?: number; httpStatus?: number; retriable?: boolean } = {},
): TerminationMessage => ({
  contractVersion: CONTRACT_VERSION,
  mode: 'archive',
  failure: { code, retriable: false, ...more },
});
