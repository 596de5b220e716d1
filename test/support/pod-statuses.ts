/** How a zipper pod stands, for tests of decisions. */
import { ZIPPER_CONTAINER } from '#crds/api-group.ts';
import { CONTRACT_VERSION, type TerminationMessage } from '#crds/zipper-contract.ts';
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

/** Status of a pod whose zipper has ended. */
export const ended = ({ exitCode, reason, message }: Ending): NonNullable<Pod['status']> => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containerStatuses: [
    {
      name: ZIPPER_CONTAINER,
      image: 'zipjobs-zipper:test',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: {
        terminated: {
          exitCode,
          ...textOf(message),
          reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
        },
      },
    },
  ],
});

export const disrupted = (exitCode: number): NonNullable<Pod['status']> => ({
  ...ended({ exitCode }),
  conditions: [{ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }],
});

export const waitingFor = (reason: string, message: string): NonNullable<Pod['status']> => ({
  phase: 'Pending',
  containerStatuses: [
    {
      name: ZIPPER_CONTAINER,
      image: 'zipjobs-zipper:test',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, message } },
    },
  ],
});

export const failureMessage = (
  code: string,
  more: { message?: string; fileIndex?: number; httpStatus?: number; retriable?: boolean } = {},
): TerminationMessage => ({
  contractVersion: CONTRACT_VERSION,
  mode: 'archive',
  failure: { code, retriable: false, ...more },
});
