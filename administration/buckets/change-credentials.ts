import { randomUUID } from 'node:crypto';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipBucket, ZipBucketSpec } from '#crds/zip-bucket.ts';
import type { Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { changeSpec, checkVersion, versionOf } from '../changes/change-spec.ts';
import { invalidInput } from '../errors/administration-error.ts';
import { specWithKeys, specWithRole } from './bucket-changes.ts';
import { type BucketCredentials, checkCredentials } from './bucket-input.ts';
import { replaceBucketSecret } from './bucket-secret.ts';
import type { WebIdentityInput } from './web-identity-input.ts';

/** How a user changes the credentials of a bucket. */
export interface CredentialsChange {
  /** The version that the user has seen. Default: what someone else saved meanwhile may be replaced. */
  readonly version?: string;
  /** UUID of a form, which a browser may send twice. */
  readonly form?: string;
}

interface Target {
  readonly options: {
    readonly buckets: Pick<ObjectClient<ZipBucket>, 'mergePatch'>;
    readonly secrets: Pick<ObjectClient<Secret>, 'create' | 'mergePatch'>;
  };
  readonly read: () => Promise<ZipBucket>;
}

/** What identifies the credentials of a bucket. */
export interface CredentialsState {
  /** Of the role, and of the keys by what stored them: not every user may read them. */
  readonly version: string;
  /** The form or command. */
  readonly replacedBy: string | undefined;
}

export function credentialsState({ spec, metadata }: ZipBucket): CredentialsState {
  const replacedBy = metadata.annotations?.[ANNOTATIONS.credentialsReplacedBy];
  return { version: versionOf([spec.credentials?.webIdentity, replacedBy]), replacedBy };
}

/** @throws AdministrationError Conflict if someone else has changed the credentials since the user has seen them */
export function checkCredentialsState(current: CredentialsState, { version, form }: CredentialsChange): void {
  const isOwn = form !== undefined && current.replacedBy === form;
  if (version !== undefined && !isOwn) checkVersion(current.version, version);
}

/** Writes what identifies the change to the bucket, with the role or before keys are stored: of two users at once, one gets a conflict. */
function claim(
  { options, read }: Target,
  change: CredentialsChange,
  {
    to,
    isChange = () => true,
  }: {
    readonly to: (spec: ZipBucketSpec) => ZipBucketSpec;
    readonly isChange?: (spec: object | undefined) => boolean;
  },
): Promise<ZipBucket> {
  const { form = randomUUID() } = change;
  return changeSpec(options.buckets, {
    read,
    change: (bucket) => {
      checkCredentialsState(credentialsState(bucket), change);
      return to(bucket.spec);
    },
    annotationsFor: (spec) => (isChange(spec) ? { [ANNOTATIONS.credentialsReplacedBy]: form } : undefined),
  });
}

function refuseRole({ bucketName, credentials }: ZipBucketSpec): void {
  if (credentials)
    throw invalidInput(
      'bucketName',
      `Bucket "${bucketName}" has no stored credentials: it uses the role ${credentials.webIdentity.roleArn}. To store credentials, remove spec.credentials of its ZipBucket first`,
    );
}

/** Stores the keys. With `replaceRole`, a bucket with a role uses them from then on. */
export async function storeKeys(
  target: Target,
  credentials: BucketCredentials,
  { replaceRole, ...change }: CredentialsChange & { readonly replaceRole: boolean },
): Promise<ZipBucket> {
  checkCredentials(credentials);
  const { options, read } = target;
  const claimed = await claim(target, change, {
    to: (spec) => {
      if (!replaceRole) refuseRole(spec);
      return spec;
    },
  });
  await replaceBucketSecret(options.secrets, claimed, credentials);
  if (!claimed.spec.credentials) return claimed;
  // Only after the keys are there.
  return changeSpec(options.buckets, {
    read,
    change: (bucket) => {
      if (bucket.spec.credentials)
        checkVersion(credentialsState(bucket).version, credentialsState(claimed).version);
      return specWithKeys(bucket.spec);
    },
  });
}

/** Stored keys stay for jobs that started with them. */
export function storeRole(
  target: Target,
  webIdentity: WebIdentityInput,
  change: CredentialsChange,
): Promise<ZipBucket> {
  return claim(target, change, {
    to: (spec) => specWithRole(spec, webIdentity),
    isChange: (spec) => spec !== undefined,
  });
}
