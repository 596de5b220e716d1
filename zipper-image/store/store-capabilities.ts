/**
 * The differences between the supported stores: one table, and the checks of a bucket's settings and of an archive that
 * follow from it. All of this is known without a request to the store, so errors are reported before the first one.
 */
import type { ChosenObjectOptions, OnConflict } from '#crds/zip-job.ts';
import { ATTEMPT_METADATA_KEY } from '#crds/zipper-contract.ts';
import type { TaskBucket } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { StoreKind } from '#runtime/store/store-location.ts';
import { MOST_ARCHIVE_BYTES, MOST_R2_ARCHIVE_BYTES } from '#runtime/zip-request/job-limits.ts';
import {
  findBucketFault,
  findObjectFault,
  findUnsupported,
  mergeObjectOptions,
} from '#runtime/zip-request/object-options.ts';
import { bytesInParts, MOST_PARTS } from '#runtime/zip-request/part-sizes.ts';
import { StoreError } from './store-errors.ts';

export type PartChecksum = 'crc32' | 'md5';

export interface Capabilities {
  /** The usual name of the store. */
  readonly name: string;
  /**
   * Sent with every part and verified by the store: CRC-32 if the store is known to support it. `asked`: CRC-32 if the store confirms
   * it at the start of the upload, or else Content-MD5, which takes ten times as long.
   */
  readonly partChecksum: PartChecksum | 'asked';
  /**
   * Whether an upload may ask the store to verify the CRC-32 of the whole object at Complete. It does so only if it confirms that at the
   * start of the upload.
   */
  readonly objectChecksum: boolean;
  /** Whether the store is known to support `If-None-Match: *` at Complete. Otherwise the key is checked just before. */
  readonly conditionalComplete: boolean;
  /** Whether all parts except the last must have the same size. */
  readonly equalParts: boolean;
  /** Of every part except the last. */
  readonly leastPartBytes: number;
  readonly mostPartBytes: number;
  readonly mostObjectBytes: number;
  /** Bytes of UTF-8. */
  readonly mostKeyBytes: number;
  /** Names and values of user-defined object metadata. */
  readonly mostMetadataBytes: number;
}

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const COMMON = {
  equalParts: false,
  leastPartBytes: 5 * MIB,
  mostPartBytes: 5 * GIB,
  mostKeyBytes: 1024,
} as const;

export const CAPABILITIES: Readonly<Record<StoreKind, Capabilities>> = {
  s3: {
    ...COMMON,
    name: 'S3',
    partChecksum: 'crc32',
    objectChecksum: true,
    conditionalComplete: true,
    mostObjectBytes: 10_000 * 5 * GIB,
    mostMetadataBytes: 2048,
  },
  r2: {
    ...COMMON,
    name: 'R2',
    // It rejected the header at the start of an upload until 2025, and its documents do not say that it confirms it.
    partChecksum: 'asked',
    // An upload has one algorithm, and for CRC-32 only the checksum of the parts: https://developers.cloudflare.com/r2/api/s3/api/
    objectChecksum: false,
    conditionalComplete: true,
    // https://developers.cloudflare.com/r2/objects/multipart-objects/#limitations
    equalParts: true,
    mostPartBytes: 4.995 * GIB,
    mostObjectBytes: MOST_R2_ARCHIVE_BYTES,
    mostMetadataBytes: 8192,
  },
  custom: {
    ...COMMON,
    name: 'this store',
    partChecksum: 'asked',
    objectChecksum: true,
    conditionalComplete: false,
    mostObjectBytes: MOST_ARCHIVE_BYTES,
    mostMetadataBytes: 2048,
  },
};

/** The error for settings of a bucket that cannot work. */
export function misconfigured(message: string): StoreError {
  return new StoreError(`Invalid settings of the bucket: ${message}`, {
    code: 'BucketMisconfigured',
    retryable: false,
    storeCode: 'InvalidSettings',
  });
}

/**
 * Some stores accept the header for encryption and ignore it. S3, MinIO and Ceph name the encryption that they use in the
 * response to the start of an upload, or to each part.
 * @throws StoreError BucketMisconfigured if the bucket sets an encryption and the store confirms another or none
 */
export function assertEncrypted(confirmed: string | undefined, bucket: TaskBucket): void {
  const { serverSideEncryption: wanted } = bucket;
  if (wanted === undefined || confirmed?.startsWith(wanted) === true) return;
  throw misconfigured(
    `the store did not confirm serverSideEncryption ${wanted}, so it may store archives without it; remove the option if the store encrypts all objects itself`,
  );
}

/** @throws StoreError BucketMisconfigured for objectOptions that are invalid, or that the store does not support */
export function assertObjectOptions(bucket: TaskBucket, kind: StoreKind): void {
  const fault = findBucketFault(bucket, kind);
  if (fault) throw misconfigured(`objectOptions.${fault.field} ${fault.problem}`);
}

export interface PlannedUpload {
  readonly key: string;
  readonly attempt: string;
  readonly partSizeBytes: number;
  readonly maxArchiveBytes: number;
  readonly onConflict: OnConflict;
}

function refused(message: string): StoreError {
  return new StoreError(`Could not start the upload: ${message}`, {
    code: 'InvalidTask',
    retryable: false,
    storeCode: 'InvalidSettings',
  });
}

/**
 * The options of a job at its bucket.
 * @throws StoreError InvalidTask for invalid ones, which could forge our metadata; BucketMisconfigured for those that the store
 * does not support, or that exceed its limits together with those of the bucket
 */
export function assertChosenOptions(options: ChosenObjectOptions, bucket: TaskBucket, kind: StoreKind): void {
  const fault = findObjectFault(options);
  if (fault) throw refused(`objectOptions.${fault.field} of the job ${fault.problem}`);
  const unsupported = findUnsupported(options, kind);
  if (unsupported)
    throw misconfigured(`objectOptions.${unsupported.field} of the job ${unsupported.problem}`);
  const { metadata, tags } = mergeObjectOptions(bucket, options);
  const excess = findObjectFault(defined({ metadata, tags }));
  if (excess)
    throw misconfigured(`objectOptions.${excess.field} of the bucket and the job together ${excess.problem}`);
}

/** @throws StoreError InvalidTask for an upload that the store would reject sooner or later */
export function assertPlan(plan: PlannedUpload, capabilities: Capabilities): void {
  const { name, mostKeyBytes, mostPartBytes, mostMetadataBytes } = capabilities;
  const keyBytes = Buffer.byteLength(plan.key);
  if (keyBytes === 0 || keyBytes > mostKeyBytes)
    throw refused(`the key has ${keyBytes} bytes; ${name} allows 1 to ${mostKeyBytes}`);
  if (plan.partSizeBytes > mostPartBytes)
    throw refused(`parts have ${plan.partSizeBytes} bytes; ${name} allows at most ${mostPartBytes}`);
  if (Buffer.byteLength(ATTEMPT_METADATA_KEY + plan.attempt) > mostMetadataBytes)
    throw refused(`the pod's uid is longer than ${mostMetadataBytes} bytes`);
}

/** Maximum bytes of an archive, and the limit that determines it. */
export function archiveLimit(
  { partSizeBytes, maxArchiveBytes }: Pick<PlannedUpload, 'partSizeBytes' | 'maxArchiveBytes'>,
  { equalParts, mostObjectBytes, name }: Capabilities,
): { readonly bytes: number; readonly because: string } {
  const inParts = bytesInParts({ partSizeBytes, equalParts });
  const bytes = Math.min(maxArchiveBytes, inParts, mostObjectBytes);
  if (bytes === maxArchiveBytes)
    return { bytes, because: 'the limit of this project (archiveBytes of its class or its ZipProject)' };
  if (bytes === inParts) return { bytes, because: `${MOST_PARTS} parts of at most ${partSizeBytes} bytes` };
  return { bytes, because: `the maximum object size of ${name}` };
}
