import type { UploadsLeft } from '#crds/termination-message.ts';

/** Counts the uploads that this process may leave in the bucket, for the termination message. */
export interface UploadsLeftCount {
  readonly abortFailed: () => void;
  /** It is unknown whether the store started an upload. */
  readonly startUnconfirmed: () => void;
  /** For the termination message; empty if nothing remains. */
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
