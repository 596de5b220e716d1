import { bucketSecretName, GROUP_VERSION } from '#crds/api-group.ts';
import type { OwnerReference } from '#crds/object-meta.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { BUCKET_SECRET_KEYS } from '#crds/zipper-contract.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { hasCode } from './administration-error.ts';
import type { BucketCredentials } from './bucket-input.ts';

type Secrets = Pick<ObjectClient<Secret>, 'create' | 'mergePatch' | 'delete'>;

const data = ({
  accessKeyId,
  secretAccessKey,
  sessionToken,
}: BucketCredentials): Readonly<Record<string, string>> => ({
  [BUCKET_SECRET_KEYS.accessKeyId]: btoa(accessKeyId),
  [BUCKET_SECRET_KEYS.secretAccessKey]: btoa(secretAccessKey),
  ...(sessionToken !== undefined && { [BUCKET_SECRET_KEYS.sessionToken]: btoa(sessionToken) }),
});

/** Stores reject keys with the session token of others. */
const patch = (credentials: BucketCredentials): Readonly<Record<string, string | null>> => ({
  [BUCKET_SECRET_KEYS.sessionToken]: null,
  ...data(credentials),
});

const ownerOf = ({ metadata }: ZipBucket): OwnerReference => ({
  apiVersion: GROUP_VERSION,
  kind: 'ZipBucket',
  name: metadata.name,
  uid: metadata.uid ?? '',
});

const targetOf = ({ metadata: { namespace, name } }: Pick<ZipBucket, 'metadata'>) => ({
  namespace,
  name: bucketSecretName(name),
});

/** The Secret is deleted with its ZipBucket. A Secret left behind by an earlier bucket of this name is overwritten. */
export const writeBucketSecret = async (
  secrets: Pick<Secrets, 'create' | 'mergePatch'>,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<void> => {
  const target = targetOf(bucket);
  const metadata = { ownerReferences: [ownerOf(bucket)] };
  const created = await secrets.create({
    metadata: { ...target, ...metadata },
    type: 'Opaque',
    data: data(credentials),
  });
  if (!created) await secrets.mergePatch(target, { metadata, data: patch(credentials) });
};

/** Replaces the keys. A Secret that was created by hand keeps its owners. */
export const replaceBucketSecret = async (
  secrets: Pick<Secrets, 'create' | 'mergePatch'>,
  bucket: ZipBucket,
  credentials: BucketCredentials,
): Promise<void> => {
  try {
    await secrets.mergePatch(targetOf(bucket), { data: patch(credentials) });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
    await writeBucketSecret(secrets, bucket, credentials);
  }
};

/**
 * Deletes the keys of a bucket whose deletion has started. A Secret that was created by hand has no owner, so it is not
 * garbage-collected. `isNeeded`: unfinished jobs abort their uploads with the keys, which are deleted with the bucket then.
 */
export const deleteBucketSecret = async (
  secrets: Pick<Secrets, 'mergePatch' | 'delete'>,
  bucket: ZipBucket,
  { isNeeded }: { readonly isNeeded: boolean },
): Promise<void> => {
  const { namespace, name } = targetOf(bucket);
  if (!isNeeded) {
    await secrets.delete(namespace, name);
    return;
  }
  try {
    await secrets.mergePatch({ namespace, name }, { metadata: { ownerReferences: [ownerOf(bucket)] } });
  } catch (error) {
    if (!hasCode(error, 'NotFound')) throw error;
  }
};
