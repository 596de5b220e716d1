import { ANNOTATIONS, GROUP_VERSION } from '#crds/api-group.ts';
import { uidOf } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { changeSpec, checkVersion } from '../changes/change-spec.ts';
import { runCommand, sendCommand } from '../changes/controller-command.ts';
import { refuseWhileInUse } from '../changes/refuse-while-in-use.ts';
import { requiredProject } from '../changes/required-project.ts';
import { type WaitOptions, waitFor } from '../changes/wait-for.ts';
import { AdministrationError } from '../errors/administration-error.ts';
import { type BucketChange, settingsVersion, specAfter } from './bucket-changes.ts';
import {
  type BucketCredentials,
  type BucketRef,
  checkCredentials,
  checkNewBucket,
  type NewBucket,
  resourceNameOf,
} from './bucket-input.ts';
import { deleteBucketSecret, writeBucketSecret } from './bucket-secret.ts';
import { type Bucket, toBucket } from './bucket-view.ts';
import {
  type CredentialsChange,
  type CredentialsState,
  credentialsState,
  storeKeys,
  storeRole,
} from './change-credentials.ts';
import { deleteCountedBucket } from './delete-counted-bucket.ts';
import type { WebIdentityInput } from './web-identity-input.ts';

export interface BucketsOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly buckets: ObjectClient<ZipBucket>;
  readonly secrets: Pick<ObjectClient<Secret>, 'create' | 'mergePatch' | 'delete'>;
  /** For lists of jobs. */
  readonly kube: KubeClient;
  readonly clock: Clock;
}

export interface BucketDeletion {
  /** False: it is marked for deletion and is deleted once its jobs are finished. */
  readonly isGone: boolean;
  /** Why it is not known whether it is gone: the last request of the wait. */
  readonly failure?: Error;
}

export interface ShownCredentials extends CredentialsState {
  readonly bucket: Bucket;
}

/** The buckets of one project. Credentials are write-only. */
export interface Buckets {
  list(): Promise<readonly Bucket[]>;
  /** @throws AdministrationError NotFound */
  show(bucket: BucketRef): Promise<Bucket>;
  /** Validates a bucket before the user enters credentials. @throws AdministrationError InvalidInput, NotFound, AlreadyExists */
  checkNew(bucket: NewBucket): Promise<void>;
  /**
   * Creates the bucket with its credentials, or neither. A bucket with a role needs no credentials.
   * @throws AdministrationError InvalidInput, NotFound, AlreadyExists
   */
  create(bucket: NewBucket, credentials?: BucketCredentials): Promise<Bucket>;
  /**
   * Changes only the given settings. `version`: the `settingsVersion` that the user has seen.
   * @throws AdministrationError InvalidInput, NotFound; Conflict if the settings have another version
   */
  update(bucket: BucketRef, change: BucketChange, version?: string): Promise<Bucket>;
  /** The bucket, and what identifies its credentials. @throws AdministrationError NotFound */
  showCredentials(bucket: BucketRef): Promise<ShownCredentials>;
  /**
   * `replaceRole`: also of a bucket with a role, which then uses the keys.
   * @throws AdministrationError InvalidInput, NotFound; Conflict if the credentials have another version
   */
  updateCredentials(
    bucket: BucketRef,
    credentials: BucketCredentials,
    options?: CredentialsChange & { readonly replaceRole?: boolean },
  ): Promise<Bucket>;
  /**
   * Stored keys are kept but not read any more: jobs that started with them need them.
   * @throws AdministrationError InvalidInput, NotFound; Conflict if the credentials have another version
   */
  useRole(bucket: BucketRef, webIdentity: WebIdentityInput, options?: CredentialsChange): Promise<Bucket>;
  /** Tests from inside the cluster every operation that an archive needs. @throws AdministrationError NotFound, TimedOut */
  test(bucket: BucketRef, wait: WaitOptions): Promise<Bucket>;
  /** Starts a test without waiting: `testPending` of the bucket is true until it finishes. @throws AdministrationError NotFound */
  beginTest(bucket: BucketRef): Promise<void>;
  /** The bucket, if it can be deleted. @throws AdministrationError InUse, NotFound */
  checkDelete(bucket: BucketRef): Promise<Bucket>;
  /**
   * Refused while jobs refer to the bucket, including finished jobs. With `force`, unfinished jobs fail instead.
   * @throws AdministrationError InUse, NotFound
   */
  delete(bucket: BucketRef, options: WaitOptions & { readonly force?: boolean }): Promise<BucketDeletion>;
}

async function rollBack({ buckets }: BucketsOptions, bucket: ZipBucket, thrown: unknown): Promise<never> {
  const { namespace, name } = bucket.metadata;
  const error = toError(thrown);
  const end = await buckets.delete(namespace, name, { uid: uidOf(bucket) }).then(
    () => `Bucket "${name}" was not created`,
    () => `Bucket "${name}" has no credentials. Delete it or set its credentials`,
  );
  throw new AdministrationError(`Cannot store the credentials: ${error.message}. ${end}`, {
    code: error instanceof AdministrationError ? error.code : 'Failed',
    cause: error,
  });
}

async function found({ buckets }: BucketsOptions, namespace: string, ref: BucketRef): Promise<ZipBucket> {
  const name = resourceNameOf(ref);
  const bucket = await buckets.get(namespace, name);
  if (bucket) return bucket;
  const other = ref.service === 's3' ? 'r2' : 's3';
  const twin = await buckets.get(namespace, resourceNameOf({ ...ref, service: other }));
  const missing = `Bucket "${ref.bucketName}" (${ref.service}) not found in project "${namespace}"`;
  if (twin)
    throw new AdministrationError(
      `${missing}. A bucket with this name exists for service ${other}: set the service to ${other}`,
      { code: 'NotFound' },
    );
  throw new AdministrationError(missing, {
    code: 'NotFound',
    commandHint: `Create it with: zipjobs bucket create ${ref.bucketName}${ref.service === 's3' ? '' : ` --service ${ref.service}`} -n ${namespace}`,
  });
}

function nameTaken(namespace: string, { bucketName, service }: ZipBucket['spec']): AdministrationError {
  return new AdministrationError(
    `Bucket "${bucketName}" (${service}) already exists in project "${namespace}". Update its credentials, or delete it first`,
    { code: 'AlreadyExists' },
  );
}

async function checkNew(options: BucketsOptions, namespace: string, bucket: NewBucket): Promise<void> {
  const spec = checkNewBucket(bucket);
  await requiredProject(options.projects, namespace);
  if (await options.buckets.get(namespace, resourceNameOf(spec))) throw nameTaken(namespace, spec);
}

const NO_CREDENTIALS: BucketCredentials = { accessKeyId: '', secretAccessKey: '' };

async function createBucket(
  options: BucketsOptions,
  namespace: string,
  given: { readonly bucket: NewBucket; readonly credentials: BucketCredentials | undefined },
): Promise<Bucket> {
  const spec = checkNewBucket(given.bucket);
  const { credentials = NO_CREDENTIALS } = given;
  if (!spec.credentials) checkCredentials(credentials);
  await requiredProject(options.projects, namespace);
  const name = resourceNameOf(spec);
  const created = await options.buckets.create({
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { namespace, name },
    spec,
  });
  if (!created) throw nameTaken(namespace, spec);
  if (!spec.credentials)
    await writeBucketSecret(options.secrets, created, credentials).catch((error: unknown) =>
      rollBack(options, created, error),
    );
  return toBucket(created);
}

async function checkDelete({ kube }: BucketsOptions, bucket: ZipBucket): Promise<Bucket> {
  await refuseWhileInUse(kube, bucket);
  return toBucket(bucket);
}

async function deleteBucket(
  options: BucketsOptions,
  bucket: ZipBucket,
  { force = false, ...wait }: WaitOptions & { readonly force?: boolean },
): Promise<BucketDeletion> {
  const { buckets, secrets, clock } = options;
  const { namespace, name } = bucket.metadata;
  const uid = uidOf(bucket);
  if (force)
    await buckets.mergePatch(
      { namespace, name },
      { metadata: { annotations: { [ANNOTATIONS.forceDelete]: 'true' } } },
    );
  else await refuseWhileInUse(options.kube, bucket);
  await deleteCountedBucket(buckets, { namespace, name, uid }, { ...wait, clock });
  let now: ZipBucket | undefined = bucket;
  let failure: Error | undefined;
  function onFailure(error: Error): void {
    failure = error;
    wait.onFailure?.(error);
  }
  const isGone = await waitFor({ ...wait, clock, onFailure }, async (signal) => {
    now = await buckets.get(namespace, name, signal);
    failure = undefined;
    return now?.metadata.uid === uid ? undefined : true;
  });
  // Without force, no job refers to the bucket.
  await deleteBucketSecret(secrets, bucket, { now, mayBeInUse: force });
  return defined({ isGone: isGone === true, failure });
}

async function listBuckets(options: BucketsOptions, namespace: string): Promise<Bucket[]> {
  await requiredProject(options.projects, namespace);
  const all = await options.buckets.list({ namespace });
  return all.map(toBucket).toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
}

export function createBuckets(options: BucketsOptions, namespace: string): Buckets {
  return {
    list: () => listBuckets(options, namespace),
    show: async (ref) => toBucket(await found(options, namespace, ref)),
    checkNew: (bucket) => checkNew(options, namespace, bucket),
    create: (bucket, credentials) => createBucket(options, namespace, { bucket, credentials }),
    update: async (ref, wanted, version) => {
      const changed = await changeSpec(options.buckets, {
        read: () => found(options, namespace, ref),
        change: (bucket) => {
          if (version !== undefined) checkVersion(settingsVersion(toBucket(bucket)), version);
          return specAfter(bucket.spec, wanted);
        },
      });
      return toBucket(changed);
    },
    showCredentials: async (ref) => {
      const bucket = await found(options, namespace, ref);
      return { bucket: toBucket(bucket), ...credentialsState(bucket) };
    },
    updateCredentials: async (ref, credentials, { replaceRole = false, ...change } = {}) => {
      const target = { options, read: () => found(options, namespace, ref) };
      return toBucket(await storeKeys(target, credentials, { replaceRole, ...change }));
    },
    useRole: async (ref, webIdentity, change = {}) => {
      const target = { options, read: () => found(options, namespace, ref) };
      return toBucket(await storeRole(target, webIdentity, change));
    },
    test: async (ref, wait) => {
      const { metadata } = await found(options, namespace, ref);
      const command = {
        target: { namespace, name: metadata.name },
        annotation: ANNOTATIONS.testBucket,
        what: `Test of bucket "${ref.bucketName}"`,
        isAcknowledged: (bucket: ZipBucket, nonce: string) => bucket.status?.test?.nonce === nonce,
      };
      return toBucket(await runCommand(options.buckets, command, { ...wait, clock: options.clock }));
    },
    beginTest: async (ref) => {
      const { name } = (await found(options, namespace, ref)).metadata;
      await sendCommand(options.buckets, {
        target: { namespace, name },
        annotation: ANNOTATIONS.testBucket,
      });
    },
    checkDelete: async (ref) => checkDelete(options, await found(options, namespace, ref)),
    delete: async (ref, wait) => deleteBucket(options, await found(options, namespace, ref), wait),
  };
}
