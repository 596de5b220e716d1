import { bucketSecretName } from '#crds/api-group.ts';
import { ownerReferenceOf } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { hasCode } from '../errors/administration-error.ts';
import type { BucketCredentials } from './bucket-input.ts';

type Secrets = Pick<ObjectClient<Secret>, 'create' | 'mergePatch' | 'delete'>;

function data({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: BucketCredentials): Readonly<Record<string, string>> {
  return {
    [BUCKET_SECRET_KEYS.accessKeyId]: btoa(accessKeyId),
    [BUCKET_SECRET_KEYS.secretAccessKey]: btoa(secretAccessKey),
    ...(sessionToken !== undefined && { [BUCKET_SECRET_KEYS.sessionToken]: btoa(sessionToken) }),
  };
}

/** Stores reject keys with the session token of others. */
function patch(credentials: BucketCredentials): Readonly<Record<string, string | null>> {
  return {
    [BUCKET_SECRET_KEYS.sessionToken]: null,
    ...data(credentials),
  };
}

function targetOf({ metadata: { namespace, name } }: Pick<ZipBucket, 'metadata'>) {
  return {
    namespace,
    name: bucketSecretName(name),
  };
}

/** The Secret is deleted with its ZipBucket. A Secret left behind by an earlier bucket of this name is overwritten. */
export async function writeBucketSecret(
  secrets: Pick<Secrets, 'create' | 'mergePatch'>,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<void> {
  const target = targetOf(bucket);
  const metadata = { ownerReferences: [ownerReferenceOf(bucket, 'ZipBucket')] };
  const created = await secrets.create({
    metadata: { ...target, ...metadata },
    type: 'Opaque',
    data: data(credentials),
  });
  if (!created) await secrets.mergePatch(target, { metadata, data: patch(credentials) });
}

/** Replaces the keys. A Secret that was created by hand keeps its owners. */
export async function replaceBucketSecret(
  secrets: Pick<Secrets, 'create' | 'mergePatch'>,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<void> {
  try {
    await secrets.mergePatch(targetOf(bucket), { data: patch(credentials) });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    await writeBucketSecret(secrets, bucket, credentials);
  }
}

/** A Secret that was created by hand has no owner, so it would not be garbage-collected. Other owners stay. */
async function giveOwner(secrets: Pick<Secrets, 'mergePatch'>, bucket: ZipBucket): Promise<void> {
  const target = targetOf(bucket);
  try {
    // Changes nothing. The response has the owners, and users with the right to patch may lack the one to read.
    const { resourceVersion, ownerReferences = [] } = (await secrets.mergePatch(target, {})).metadata;
    if (ownerReferences.length > 0) return;
    await secrets.mergePatch(target, {
      metadata: { resourceVersion, ownerReferences: [ownerReferenceOf(bucket, 'ZipBucket')] },
    });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
}

/**
 * Deletes the keys of a bucket whose deletion has started. `now`: what has its name now. `mayBeInUse`: unfinished jobs abort their
 * uploads with the keys, which are deleted with the bucket then.
 */
export async function deleteBucketSecret(
  secrets: Pick<Secrets, 'mergePatch' | 'delete'>,
  bucket: ZipBucket,
  { now, mayBeInUse }: { readonly now: ZipBucket | undefined; readonly mayBeInUse: boolean },
): Promise<void> {
  // Created again meanwhile, for example by a GitOps tool: the Secret has its keys.
  if (now !== undefined && now.metadata.uid !== bucket.metadata.uid) return;
  const { namespace, name } = targetOf(bucket);
  if (now !== undefined && mayBeInUse) await giveOwner(secrets, bucket);
  else await secrets.delete(namespace, name);
}
