/** Files that are objects in buckets of the project: how they are requested, and what the responses of their stores mean. */
import type { Dispatcher } from 'undici';
import type { ListedFile } from '#crds/zip-job.ts';
import { EgressRefusedError } from '#runtime/egress/egress-refused-error.ts';
import { retry } from '#runtime/time/retry.ts';
import { TaskError } from '../status/task-error.ts';
import { refusedText, STORE_TEXTS } from '../store/service-texts.ts';
import type { RenewableCredentials } from '../store/session.ts';
import { StoreError, verdictOfStore } from '../store/store-errors.ts';
import type { ResponseHead } from './http-get.ts';
import { type SourceErrorCode, type SourceFault, SourceFaultError } from './source-error.ts';
import { type FailedResponse, isRedirect, statusFault } from './source-faults.ts';

/** The store of one bucket. */
export interface SourceStore {
  /** Name of the ZipBucket. */
  readonly zipBucket: string;
  /** Connects by the rules for stores, and trusts the authorities of the bucket. */
  readonly agent: Dispatcher;
  /** Headers that sign one GET with the current credentials. @throws StoreError, TaskError */
  sign(url: URL): Promise<Readonly<Record<string, string>>>;
  /** Read when they are needed first. @throws StoreError, TaskError */
  credentials(): Promise<RenewableCredentials>;
  /** The store refused a signature because of its time: the following ones have the time of this Date header. */
  setClock(date: string): void;
}

/** How the object of a file is requested, or why it cannot be. */
export type BucketAccess =
  | { readonly store: SourceStore; readonly url: URL }
  | { readonly fault: SourceFault };

/** A file as the reader of sources gets it. Its URL is that of the request, also if it is an object in a bucket. */
export interface SourceFile extends ListedFile {
  readonly bucket?: BucketAccess;
}

/** The failures of a store that have a code of their own at a source bucket. Others are as those of any source. */
const CODES: Readonly<Record<string, SourceErrorCode>> = {
  BucketNotFound: 'SourceBucketNotFound',
  BucketAccessDenied: 'SourceAccessDenied',
  BucketCredentialsInvalid: 'SourceCredentialsInvalid',
  BucketMisconfigured: 'SourceBucketMisconfigured',
};

const REMEDIES: Partial<Record<SourceErrorCode, string>> = {
  SourceAccessDenied:
    'allow its credentials s3:GetObject for the object, and kms:Decrypt if it is encrypted with SSE-KMS. Without s3:ListBucket, a store responds in the same way for an object that does not exist',
  SourceBucketNotFound: 'create the bucket at its provider, or correct the name in the URL',
  SourceCredentialsInvalid: 'replace its credentials',
  SourceBucketMisconfigured: 'correct its region, host or endpoint',
};

/** The object is in an archive storage class. */
const NOT_RESTORED = 'InvalidObjectState';

function remedyOf(code: SourceErrorCode, storeCode: string | undefined): string | undefined {
  return storeCode === NOT_RESTORED
    ? 'restore the object from its archive storage class, or leave it out'
    : REMEDIES[code];
}

/** Undefined for a failure that is as that of any source. */
function codeOf({ status, storeCode }: FailedResponse): SourceErrorCode | undefined {
  if (isRedirect(status)) return 'SourceBucketMisconfigured';
  const named = storeCode === undefined ? undefined : verdictOfStore(storeCode);
  const code = named && CODES[named.code];
  if (code !== undefined) return code;
  if (storeCode === NOT_RESTORED) return 'SourceInvalid';
  return codeOfStatus(status);
}

/** There is no object, or the store is busy. */
const OF_ANY_SOURCE: ReadonlySet<number> = new Set([404, 408, 410, 425, 429]);

function codeOfStatus(status: number): SourceErrorCode | undefined {
  if (status === 401) return 'SourceCredentialsInvalid';
  if (status === 403) return 'SourceAccessDenied';
  return status >= 400 && status < 500 && !OF_ANY_SOURCE.has(status) ? 'SourceInvalid' : undefined;
}

/** The store asks to repeat the request, with a status that other sources use for lasting failures. */
function isTemporary({ status, storeCode }: FailedResponse): boolean {
  if (status >= 500 || OF_ANY_SOURCE.has(status) || storeCode === undefined) return false;
  return verdictOfStore(storeCode)?.retryable === true;
}

const REGION = /^[a-z0-9-]{1,32}$/;

function regionText({ headers }: ResponseHead): string {
  const region = headers['x-amz-bucket-region'];
  return typeof region === 'string' && REGION.test(region) ? `. The bucket is in region ${region}` : '';
}

/** The fault for a response that is not the object. Pure. */
export function objectFault(head: FailedResponse, url: URL, zipBucket: string): SourceFault {
  const { status, storeCode } = head;
  const named = storeCode === undefined ? '' : ` (${storeCode})`;
  const response = `the store of bucket ${zipBucket} responded with status ${status}${named}`;
  if (isTemporary(head))
    return { code: 'SourceUnavailable', text: response, retryable: true, httpStatus: status };
  const code = codeOf(head);
  if (code === undefined) return statusFault(head, url, Date.now());
  const remedy = remedyOf(code, storeCode);
  const text = remedy === undefined ? response : `${response}; ${remedy}${regionText(head)}`;
  return { code, text, retryable: false, httpStatus: status };
}

/** The fault for an error of the store before it responded; undefined if it is as that of any source. */
function connectionFault(error: unknown, zipBucket: string): SourceFault | undefined {
  const about = `bucket ${zipBucket}`;
  if (error instanceof EgressRefusedError)
    return {
      code: 'SourceBucketMisconfigured',
      text: `${about}: ${refusedText(error, STORE_TEXTS)}`,
      retryable: false,
    };
  if (error instanceof TaskError)
    return { code: 'SourceCredentialsInvalid', text: `${about}: ${error.message}`, retryable: false };
  if (!(error instanceof StoreError)) return undefined;
  const code = CODES[error.code] ?? 'SourceUnavailable';
  return { code, text: `${about}: ${error.message}`, retryable: error.retryable, cause: error };
}

/** The store rejected the key, its signature or its session. Without a status, a token service did. */
function isRejected(error: unknown): boolean {
  return (
    error instanceof SourceFaultError &&
    error.fault.code === 'SourceCredentialsInvalid' &&
    error.fault.httpStatus !== undefined
  );
}

/** Repeats the request with the next credentials if the store rejects them. */
async function withCredentials(
  store: SourceStore,
  request: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const credentials = await store.credentials();
  let used = await credentials.current();
  try {
    await request();
    credentials.repeats.limit?.restart();
    return;
  } catch (error) {
    if (!isRejected(error)) throw error;
  }
  await retry(
    async () => {
      await credentials.renew(used);
      used = await credentials.current();
      return request();
    },
    { ...credentials.repeats, isRetryable: (error) => isRejected(error) && !signal.aborted },
    signal,
  );
}

/**
 * Requests an object until its store accepts the credentials.
 * @throws SourceFaultError for what only a store does; otherwise the error of `request`
 */
export async function askStore(
  store: SourceStore,
  request: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await withCredentials(store, request, signal);
  } catch (error) {
    const fault = connectionFault(error, store.zipBucket);
    if (fault) throw new SourceFaultError(fault);
    throw error;
  }
}

/** Four bytes in base64. With several parts behind it, such as `-2`, it is a checksum of checksums. */
const CRC32 = /^[A-Za-z0-9+/]{6}==$/;

/** CRC-32 (hex) of the whole object, if the store has one. Pure. */
export function objectCrc32({ headers }: ResponseHead): string | undefined {
  const value = headers['x-amz-checksum-crc32'];
  const isWhole = headers['x-amz-checksum-type'] === 'FULL_OBJECT';
  return isWhole && typeof value === 'string' && CRC32.test(value)
    ? Buffer.from(value, 'base64').toString('hex')
    : undefined;
}
