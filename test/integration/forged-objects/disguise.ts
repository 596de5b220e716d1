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
import { createRandom, type Random } from '#test/support/random.ts';

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
  readonly spec?: { readonly suspend?: boolean };
}

/** A running job: its ZipJob, its Job and its pod, and a finished job of the same project. */
export interface Imitated {
  readonly zipJob: Original;
  readonly job: Original;
  readonly pod: Original;
  readonly finished: Original;
  readonly bucket: Original;
  /** What the user made in a namespace and can name as an owner there: Jobs under the names of recovery Jobs, and ZipJobs. */
  readonly inPlace: readonly Original[];
  /** A bucket of a project of the user. */
  readonly ownBucket: string;
}

const NONCE = 'forged';
const COMMANDS = {
  [ANNOTATIONS.replayWebhook]: NONCE,
  [ANNOTATIONS.testWebhook]: NONCE,
  [ANNOTATIONS.testBucket]: NONCE,
  [ANNOTATIONS.forceDelete]: 'true',
  [ANNOTATIONS.paused]: NONCE,
};

function namesOf({ zipJob, pod, finished, bucket }: Imitated): readonly string[] {
  return [
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
}

function controllerOf({ kind, apiVersion, metadata: { name, uid } }: Original) {
  return {
    kind,
    apiVersion,
    name,
    uid,
    controller: true,
  };
}

export interface Disguise {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly isZipper: boolean;
  readonly ownBucket: string;
}

/** Names are different for different n. Every second one is a name of ours as it is. */
function nameOf(imitated: Imitated, n: number, random: Random): string {
  const names = namesOf(imitated);
  return names[n / 2] ?? `${random.pick(names).slice(0, 48)}-${n}`;
}

function labelsOf({ pod, job }: Imitated, random: Random) {
  return {
    ...random.pick([pod, job]).metadata.labels,
    [LABELS.managedBy]: 'zipjobs-controller',
    ...(random.next() < 0.2 && { [LABELS.queueName]: 'forged' }),
  };
}

/**
 * The n-th object of a kind. Every second one has an owner in its own namespace and the name of that owner, as our Jobs have, or no
 * owner. The garbage collector deletes the others, whose owners are elsewhere, unless they have a finalizer.
 */
export function disguiseOf(imitated: Imitated, n: number): Disguise {
  const { zipJob, job, finished, bucket, inPlace, ownBucket } = imitated;
  const random = createRandom(n);
  const near = n % 2 === 1 ? inPlace[(n - 1) / 2] : undefined;
  const name = near?.metadata.name ?? nameOf(imitated, n, random);
  const owner = near ?? random.pick([zipJob, job, job, finished, bucket]);
  const labels = labelsOf(imitated, random);
  return {
    ownBucket,
    isZipper: n % 5 === 3,
    metadata: {
      name,
      labels: near ? { ...labels, [LABELS.instance]: name } : labels,
      annotations: {
        ...job.metadata.annotations,
        // A ZipJob with the uid of another was restored from a backup, and never runs.
        ...(n % 2 === 0 && { [ANNOTATIONS.acceptedUid]: zipJob.metadata.uid }),
        ...COMMANDS,
      },
      ...((near || n % 2 === 0) && { ownerReferences: [controllerOf(owner)] }),
      ...(random.next() < 0.6 && { finalizers: [FINALIZER] }),
    },
  };
}
