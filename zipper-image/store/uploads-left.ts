import type { UploadsLeft } from '#crds/termination-message.ts';
import type { Failure } from '#crds/zip-job.ts';

/** What became of the upload of a failed attempt. */
type UploadEnd = NonNullable<Failure['upload']>;

/** Counts the uploads that this process may leave in the bucket, for the termination message. */
export interface UploadsLeftCount {
  readonly abortFailed: () => void;
  /** It is unknown whether the store started an upload. */
  readonly startUnconfirmed: () => void;
  /** A recovery sent a Complete. */
  readonly completeSent: () => void;
  /** What became of the upload, unless only the status says it. */
  readonly uploadEnded: (how: UploadEnd) => void;
  /** For the failure; empty if the status says it. */
  readonly end: () => Pick<Failure, 'upload'>;
  /** For the termination message; empty if nothing remains. */
  readonly reported: () => UploadsLeft;
}

export function createUploadsLeft(): UploadsLeftCount {
  let abortFailures = 0;
  let startUnconfirmed = false;
  let completeSent = false;
  let upload: UploadEnd | undefined;
  return {
    abortFailed: () => {
      abortFailures += 1;
    },
    startUnconfirmed: () => {
      startUnconfirmed = true;
    },
    completeSent: () => {
      completeSent = true;
    },
    uploadEnded: (how) => {
      upload = how;
    },
    end: () => (upload === undefined ? {} : { upload }),
    reported: () => ({
      ...(abortFailures > 0 && { abortFailures }),
      ...(startUnconfirmed && { startUnconfirmed }),
      ...(completeSent && { completeSent }),
    }),
  };
}
