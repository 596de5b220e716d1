import type { GROUP_VERSION } from './api-group.ts';
import type { Condition } from './conditions.ts';
import type { ObjectMeta } from './object-meta.ts';
import type { ChosenObjectOptions, OnConflict, Service } from './zip-job.ts';

/** SSE-S3 and SSE-KMS. */
export const ENCRYPTIONS = ['AES256', 'aws:kms'] as const;
export type Encryption = (typeof ENCRYPTIONS)[number];

/**
 * Options for objects that are written to the bucket. Options that are not set are not sent. Metadata and tags are those of
 * every object; a job can add to them, and replace a value.
 */
export interface ObjectOptions extends Omit<ChosenObjectOptions, 'contentType'> {
  /** Canned ACL. R2, and buckets with enforced ownership, refuse any. */
  readonly acl?: string;
  /** Absent: the default encryption of the bucket. */
  readonly serverSideEncryption?: Encryption;
  /** aws:kms only. Absent: the key that AWS manages for S3. */
  readonly kmsKeyId?: string;
  /** aws:kms only. Absent: the default of the bucket. */
  readonly bucketKeyEnabled?: boolean;
  readonly onConflict?: OnConflict;
}

/** Credentials of a role, for the service account token of the zipper (AssumeRoleWithWebIdentity). */
export interface WebIdentity {
  readonly roleArn: string;
  /** Audience of the token, limited to those that the operator allows. */
  readonly audience: string;
  /** Base URL of the security token service, limited to the hosts that the operator allows. Default: AWS in `stsRegion`. */
  readonly stsEndpoint?: string;
  /** Region of the AWS security token service. Required without `stsEndpoint`. */
  readonly stsRegion?: string;
  /** Lifetime of a session. Default: 3600. */
  readonly durationSeconds?: number;
}

export interface ZipBucketSpec {
  readonly service: Service;
  readonly bucketName: string;
  /** s3 only. */
  readonly region?: string;
  /** r2 only: `<account id>.<domain>`. */
  readonly host?: string;
  /** r2 only. */
  readonly accountId?: string;
  /** Base URL of an S3-compatible store, limited to the hosts that the operator allows. */
  readonly endpoint?: string;
  /** PEM of certificate authorities that count for the connections to this store only. */
  readonly caBundle?: string;
  /** s3 only. Absent: the keys in the Secret of the bucket. */
  readonly credentials?: { readonly webIdentity: WebIdentity };
  readonly objectOptions?: ObjectOptions;
  /** Whether jobs of the project may read objects of the bucket as files. Only its admins can set it. Absent: false. */
  readonly readable?: boolean;
}

export interface ZipBucketStatus {
  readonly conditions?: readonly Condition[];
  /** Number of unfinished ZipJobs that refer to the bucket. */
  readonly activeJobs?: number;
  /** The last finished test. Its result is the condition Ready. */
  readonly test?: { readonly nonce: string; readonly finishedAt: string };
}

export interface ZipBucket {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipBucket';
  /** Name: `<service>-<bucketName>`. */
  readonly metadata: ObjectMeta;
  readonly spec: ZipBucketSpec;
  readonly status?: ZipBucketStatus;
}
