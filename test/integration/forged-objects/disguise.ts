/** What makes an object look like one of ours: everything that its author may choose. */

import { recoveryJobName } from '#controller/zip-job/manifest/job-manifest.ts';
import {
  ANNOTATIONS,
  FINALIZER,
  fileListSecretName,
  LABELS,
  WEBHOOK_SECRET_NAME,
  ZIPPER_SERVICE_ACCOUNT,
} from '#crds/api-group.ts';

/** An object of the job that is imitated, as anybody with `view` in its project reads it. */
export interface Original {
  readonly kind: string;
  readonly apiVersion: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
}

/** A running job: its ZipJob, its Job and its pod, and a finished job of the same project. */
export interface Imitated {
  readonly zipJob: Original;
  readonly job: Original;
  readonly pod: Original;
  readonly finished: Original;
  readonly bucket: Original;
  /** Jobs that a user made in advance under the names of recovery Jobs; empty before they exist. */
  readonly recoveries: readonly Original[];
}

const NONCE = 'forged';
const COMMANDS = {
  [ANNOTATIONS.replayWebhook]: NONCE,
  [ANNOTATIONS.testWebhook]: NONCE,
  [ANNOTATIONS.testBucket]: NONCE,
  [ANNOTATIONS.forceDelete]: 'true',
  [ANNOTATIONS.paused]: NONCE,
};

const namesOf = ({ zipJob, pod, finished, bucket }: Imitated): readonly string[] => [
  recoveryJobName(zipJob.metadata.name, 1),
  recoveryJobName(finished.metadata.name, 1),
  zipJob.metadata.name,
  pod.metadata.name,
  finished.metadata.name,
  bucket.metadata.name,
  fileListSecretName(zipJob.metadata.name, 0),
  WEBHOOK_SECRET_NAME,
  ZIPPER_SERVICE_ACCOUNT,
  'zipjobs-controller',
];

const controllerOf = ({ kind, apiVersion, metadata: { name, uid } }: Original) => ({
  kind,
  apiVersion,
  name,
  uid,
  controller: true,
});

const pick = <T>(list: readonly T[], n: number): T => {
  const one = list[n % list.length];
  if (one === undefined) throw new Error('nothing to pick from');
  return one;
};

export interface Disguise {
  readonly name: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isZipper: boolean;
}

/** The n-th object of a kind. Names are different for different n, and so are the combinations of the rest. */
export const disguiseOf = (imitated: Imitated, n: number): Disguise => {
  const { zipJob, job, pod, finished, bucket, recoveries } = imitated;
  const names = namesOf(imitated);
  const name = n < names.length ? pick(names, n) : `${pick(names, n).slice(0, 48)}-${n}`;
  const owners = [zipJob, job, ...recoveries, finished, bucket];
  const like = pick([pod, job], n);
  return {
    name,
    isZipper: n % 3 === 2,
    metadata: {
      name,
      labels: {
        ...like.metadata.labels,
        [LABELS.managedBy]: 'zipjobs-controller',
        ...(n % 4 === 3 && { [LABELS.queueName]: 'forged' }),
      },
      annotations: {
        ...like.metadata.annotations,
        [ANNOTATIONS.acceptedUid]: zipJob.metadata.uid,
        ...COMMANDS,
      },
      ...(n % 5 !== 4 && { ownerReferences: [controllerOf(pick(owners, n))] }),
      ...(n % 5 === 4 && { finalizers: [FINALIZER] }),
    },
  };
};
