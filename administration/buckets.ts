import { ANNOTATIONS, bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import type { OwnerReference } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import type { Clock } from '#runtime/clock.ts';
import { toError } from '#runtime/errors.ts';
import { firstOf } from '#runtime/first-of.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError, hasCode } from './administration-error.ts';
import { askController, orderController } from './ask-controller.ts';
import {
  type BucketCredentials,
  type BucketRef,
  checkCredentials,
  checkNewBucket,
  type NewBucket,
  resourceNameOf,
} from './bucket-input.ts';
import { type Bucket, toBucket } from './bucket-view.ts';
import { requiredProject } from './required-project.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';

export interface BucketsOptions {
  readonly projects: Pick<ObjectClient<ZipProject>, 'get'>;
  readonly buckets: ObjectClient<ZipBucket>;
  readonly secrets: Pick<ObjectClient<Secret>, 'create' | 'mergePatch' | 'delete'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'list'>;
  readonly clock: Clock;
}

export interface BucketDeletion {
  /** False: it is marked for deletion and goes when its jobs have ended. */
  readonly isGone: boolean;
}

/** The buckets of one project. Credentials go in and never come out. */
export interface Buckets {
  list(): Promise<readonly Bucket[]>;
  /** @throws AdministrationError NotFound */
  show(bucket: BucketRef): Promise<Bucket>;
  /** What is wrong with a bucket before its credentials are asked for. @throws AdministrationError InvalidInput, NotFound, AlreadyExists */
  checkNew(bucket: NewBucket): Promise<void>;
  /** The bucket with its credentials, or nothing. @throws AdministrationError InvalidInput, NotFound, AlreadyExists */
  create(bucket: NewBucket, credentials: BucketCredentials): Promise<Bucket>;
  /** @throws AdministrationError InvalidInput, NotFound */
  updateCredentials(bucket: BucketRef, credentials: BucketCredentials): Promise<Bucket>;
  /** Tries in the cluster what an archive needs of the bucket. @throws AdministrationError NotFound, TimedOut */
  test(bucket: BucketRef, wait: WaitOptions): Promise<Bucket>;
  /** Has it tried and waits for nothing: `testPending` of the bucket tells when it has ended. @throws AdministrationError NotFound */
  beginTest(bucket: BucketRef): Promise<void>;
  /**
   * Refused while jobs name it, finished ones included; with `force` what is unfinished fails instead.
   * @throws AdministrationError InUse, NotFound
   */
  delete(bucket: BucketRef, options: WaitOptions & { readonly force?: boolean }): Promise<BucketDeletion>;
}

const data = ({ accessKeyId, secretAccessKey }: BucketCredentials): Readonly<Record<string, string>> => ({
  [BUCKET_SECRET_KEYS.accessKeyId]: btoa(accessKeyId),
  [BUCKET_SECRET_KEYS.secretAccessKey]: btoa(secretAccessKey),
});

const ownerOf = ({ metadata }: ZipBucket): OwnerReference => ({
  apiVersion: GROUP_VERSION,
  kind: 'ZipBucket',
  name: metadata.name,
  uid: metadata.uid ?? '',
});

/** The Secret goes with its ZipBucket; one that an earlier bucket of the name left behind is written over. */
const writeSecret = async (
  { secrets }: BucketsOptions,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<void> => {
  const target = { namespace: bucket.metadata.namespace, name: bucketSecretName(bucket.metadata.name) };
  const metadata = { ownerReferences: [ownerOf(bucket)] };
  const created = await secrets.create({
    metadata: { ...target, ...metadata },
    type: 'Opaque',
    data: data(credentials),
  });
  if (!created) await secrets.mergePatch(target, { metadata, data: data(credentials) });
};

const takeBack = async ({ buckets }: BucketsOptions, bucket: ZipBucket, thrown: unknown): Promise<never> => {
  const { namespace, name, uid = '' } = bucket.metadata;
  const error = toError(thrown);
  const end = await buckets.delete(namespace, name, { uid }).then(
    () => `The bucket ${name} was not created`,
    () => `The bucket ${name} is left without credentials; delete it, or set its credentials`,
  );
  throw new AdministrationError(`${end}, as its credentials could not be stored. ${error.message}`, {
    code: error instanceof AdministrationError ? error.code : 'Failed',
    cause: error,
  });
};

const found = async ({ buckets }: BucketsOptions, namespace: string, ref: BucketRef): Promise<ZipBucket> => {
  const name = resourceNameOf(ref);
  const bucket = await buckets.get(namespace, name);
  if (bucket) return bucket;
  const other = ref.service === 's3' ? 'r2' : 's3';
  const twin = await buckets.get(namespace, resourceNameOf({ ...ref, service: other }));
  const hint = twin ? `One of service ${other} has that name` : 'List the buckets to see which there are';
  throw new AdministrationError(
    `Project ${namespace} has no bucket '${ref.bucketName}' of service ${ref.service}. ${hint}`,
    { code: 'NotFound' },
  );
};

const nameTaken = (namespace: string, { bucketName, service }: ZipBucket['spec']): AdministrationError =>
  new AdministrationError(
    `Project ${namespace} has a bucket '${bucketName}' of service ${service} already. Set its credentials, or delete it first`,
    { code: 'AlreadyExists' },
  );

const checkNew = async (options: BucketsOptions, namespace: string, bucket: NewBucket): Promise<void> => {
  const spec = checkNewBucket(bucket);
  await requiredProject(options.projects, namespace);
  if (await options.buckets.get(namespace, resourceNameOf(spec))) throw nameTaken(namespace, spec);
};

const createBucket = async (
  options: BucketsOptions,
  namespace: string,
  given: { readonly bucket: NewBucket; readonly credentials: BucketCredentials },
): Promise<Bucket> => {
  const spec = checkNewBucket(given.bucket);
  checkCredentials(given.credentials);
  await requiredProject(options.projects, namespace);
  const name = resourceNameOf(spec);
  const created = await options.buckets.create({
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { namespace, name },
    spec,
  });
  if (!created) throw nameTaken(namespace, spec);
  await writeSecret(options, created, given.credentials).catch((error: unknown) =>
    takeBack(options, created, error),
  );
  return toBucket(created);
};

const updateCredentials = async (
  options: BucketsOptions,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<Bucket> => {
  const { namespace, name } = bucket.metadata;
  const target = { namespace, name: bucketSecretName(name) };
  try {
    await options.secrets.mergePatch(target, { data: data(credentials) });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    await writeSecret(options, bucket, credentials);
  }
  return toBucket(bucket);
};

const refuseWhileInUse = async ({ zipJobs }: BucketsOptions, bucket: ZipBucket): Promise<void> => {
  const { namespace, name } = bucket.metadata;
  const jobs = await zipJobs.list({ namespace, fieldSelector: `spec.bucketRef.name=${name}` });
  if (jobs.length === 0) return;
  const unfinished = jobs.filter((job) => !isFinished(job));
  const names = (unfinished.length > 0 ? unfinished : jobs).map(({ metadata }) => metadata.name).toSorted();
  const counts = `${unfinished.length} unfinished and ${jobs.length - unfinished.length} finished`;
  throw new AdministrationError(
    `The bucket '${bucket.spec.bucketName}' is not deleted while jobs name it: ${counts}, such as ${firstOf(names)}. Delete those jobs or wait until they are, or force the deletion: unfinished jobs fail then, finished ones stay as they are`,
    { code: 'InUse' },
  );
};

const deleteBucket = async (
  options: BucketsOptions,
  bucket: ZipBucket,
  { force = false, ...wait }: WaitOptions & { readonly force?: boolean },
): Promise<BucketDeletion> => {
  const { buckets, secrets, clock } = options;
  const { namespace, name, uid = '' } = bucket.metadata;
  if (force)
    await buckets.mergePatch(
      { namespace, name },
      { metadata: { annotations: { [ANNOTATIONS.forceDelete]: 'true' } } },
    );
  else await refuseWhileInUse(options, bucket);
  await buckets.delete(namespace, name, { uid });
  const isGone = await waitFor({ ...wait, clock }, async () => {
    const now = await buckets.get(namespace, name);
    return now?.metadata.uid === uid ? undefined : true;
  });
  if (isGone !== true) return { isGone: false };
  // Credentials that were stored by hand belong to no ZipBucket, so nothing else takes them away.
  await secrets.delete(namespace, bucketSecretName(name));
  return { isGone };
};

export const createBuckets = (options: BucketsOptions, namespace: string): Buckets => ({
  list: async () => {
    await requiredProject(options.projects, namespace);
    const all = await options.buckets.list({ namespace });
    return all.map(toBucket).toSorted((a, b) => (a.resource < b.resource ? -1 : 1));
  },
  show: async (ref) => toBucket(await found(options, namespace, ref)),
  checkNew: (bucket) => checkNew(options, namespace, bucket),
  create: (bucket, credentials) => createBucket(options, namespace, { bucket, credentials }),
  updateCredentials: async (ref, credentials) => {
    checkCredentials(credentials);
    return updateCredentials(options, await found(options, namespace, ref), credentials);
  },
  test: async (ref, wait) => {
    const { metadata } = await found(options, namespace, ref);
    const question = {
      target: { namespace, name: metadata.name },
      annotation: ANNOTATIONS.testBucket,
      what: `The test of bucket '${ref.bucketName}'`,
      isAnswered: (bucket: ZipBucket, nonce: string) => bucket.status?.test?.nonce === nonce,
    };
    return toBucket(await askController(options.buckets, question, { ...wait, clock: options.clock }));
  },
  beginTest: async (ref) => {
    const { name } = (await found(options, namespace, ref)).metadata;
    await orderController(options.buckets, {
      target: { namespace, name },
      annotation: ANNOTATIONS.testBucket,
    });
  },
  delete: async (ref, wait) => deleteBucket(options, await found(options, namespace, ref), wait),
});
