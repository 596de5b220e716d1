import type { UploadsLeft } from '#crds/termination-message.ts';

/** Counts what this process may leave in the bucket: the last word of the pod tells the controller. */
export interface UploadsLeftCount {
  readonly abortFailed: () => void;
  /** Nobody knows whether the store started an upload. */
  readonly startUnconfirmed: () => void;
  /** For the termination message; empty when nothing is left. */
  readonly reported: () => UploadsLeft;
}

export const createUploadsLeft = (): UploadsLeftCount => {
  let abortFailures = 0;
  let startUnconfirmed = false;
  return {
    abortFailed: () => {
      abortFailures += 1;
    },
    startUnconfirmed: () => {
      startUnconfirmed = true;
    },
    reported: () => ({
      ...(abortFailures > 0 && { abortFailures }),
      ...(startUnconfirmed && { startUnconfirmed }),
    }),
  };
};
