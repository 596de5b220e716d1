/**
 * Takes over the upload of an earlier pod. The list of the store says which parts there are, and the checkpoint says what they mean.
 *
 *   checkpoint -> plan -> parts of the store -> parts that are kept
 *
 * What only fails now is retried, and then fails the attempt, which leaves the upload to the next one. A refusal is final: the upload
 * cannot be continued.
 */
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import type { InheritedUpload, ResumeRefusal } from '#crds/zip-job.ts';
import type { Logger } from '#runtime/log/log.ts';
import { type RetryPolicy, retry } from '#runtime/time/retry.ts';
import type { CheckpointApi } from '../status/checkpoint-api.ts';
import { StatusError } from '../status/status-error.ts';
import type { Part } from '../store/complete-upload.ts';
import type { ListedPart } from '../store/list-parts.ts';
import { isMd5, withoutQuotes } from '../store/part-verification.ts';
import type { Store } from '../store/store.ts';
import { isDenied, isStoreCode } from '../store/store-errors.ts';
import { DocumentError, decodeRecords } from './document.ts';
import { listKept } from './list-kept.ts';
import { RefusedError, type ResolveDeps, resolveParts } from './resolve.ts';
import type { Continuation, Records } from './types.ts';

export interface AdoptDeps {
  readonly inherited: Pick<InheritedUpload, 'uploadId' | 'owner'>;
  readonly checkpoints: Pick<CheckpointApi, 'read'>;
  readonly store: Pick<Store, 'listParts'>;
  readonly key: string;
  /** SHA-256 of the plan of this pod. */
  readonly plan: string;
  readonly resolve: ResolveDeps;
  /** The store encrypts parts with a key of its own, so the same bytes get another ETag each time. */
  readonly isEncrypted: boolean;
  /** An earlier pod may still send a part, and replace one of this pod. */
  readonly mayStillRun: boolean;
  readonly storePolicy: () => RetryPolicy;
  readonly statusPolicy: () => RetryPolicy;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly lateListMs?: number | undefined;
}

/** `sequence`: that of the checkpoint, if there is one. */
export type Adoption =
  | { readonly kind: 'continued'; readonly continuation: Continuation; readonly sequence: number }
  | { readonly kind: 'refused'; readonly refusal: ResumeRefusal; readonly sequence: number | undefined };

function refused(refusal: ResumeRefusal): never {
  throw new RefusedError(refusal);
}

/**
 * A checkpoint that the API server refuses to show, such as during an upgrade, is none. So is one that names another pod, because the
 * controller could not change it: whether this pod is active, its next write of the status says.
 */
async function readCheckpoint(deps: AdoptDeps): Promise<ZipCheckpointStatus | undefined> {
  const { checkpoints, statusPolicy, signal } = deps;
  try {
    return await retry(() => checkpoints.read(signal), statusPolicy(), signal);
  } catch (error) {
    if (error instanceof StatusError && (error.isRefusal || error.code === 'Superseded')) return undefined;
    throw error;
  }
}

function recordsOf({ records }: ZipCheckpointStatus): Records {
  try {
    return decodeRecords(records);
  } catch (error) {
    if (error instanceof DocumentError) refused(error.refusal);
    throw error;
  }
}

async function listParts({
  store,
  key,
  inherited,
  storePolicy,
  signal,
}: AdoptDeps): Promise<readonly ListedPart[]> {
  const ref = { key, uploadId: inherited.uploadId };
  try {
    return await retry(() => store.listParts(ref, signal), storePolicy(), signal);
  } catch (error) {
    if (isStoreCode(error, 'NoSuchUpload')) refused('UploadGone');
    if (isDenied(error) || isStoreCode(error, 'NotImplemented')) refused('PartsHidden');
    throw error;
  }
}

function areDigests(parts: ReadonlyMap<number, Part>): boolean {
  return parts.values().every(({ etag }) => isMd5(withoutQuotes(etag)));
}

/** A checkpoint has at least one part. */
function partChecksumIn({ parts }: Records): Continuation['partChecksum'] {
  return parts.some(({ crc32 }) => crc32 !== undefined) ? 'crc32' : 'md5';
}

async function continuationOf(deps: AdoptDeps, checkpoint: ZipCheckpointStatus): Promise<Continuation> {
  const { inherited, plan, resolve, signal } = deps;
  const { uploadId, owner } = inherited;
  if (checkpoint.uploadId !== uploadId || checkpoint.owner !== owner) refused('NoCheckpoint');
  if (checkpoint.plan !== plan) refused('OtherPlan');
  const records = recordsOf(checkpoint);
  const recorded = records.parts.filter(({ number, bytes }) => bytes === resolve.partBytes(number));
  const { lateListMs } = deps;
  const found = await listKept(recorded, { list: () => listParts(deps), signal, lateListMs });
  if (deps.mayStillRun && (deps.isEncrypted || !areDigests(found))) refused('PartsDiffer');
  const { kept, files } = await resolveParts(records, new Set(found.keys()), resolve);
  const parts = new Map([...found].filter(([number]) => kept.has(number)));
  return {
    uploadId,
    owner,
    sequence: checkpoint.sequence,
    parts,
    partChecksum: partChecksumIn(records),
    files,
    records: records.files,
  };
}

/**
 * @throws StoreError and SourceError if the store or a source cannot be asked now, StatusError if the API server cannot; the reason of
 *   the signal
 */
export async function adopt(deps: AdoptDeps): Promise<Adoption> {
  const checkpoint = await readCheckpoint(deps);
  const sequence = checkpoint?.sequence;
  try {
    if (!checkpoint) return { kind: 'refused', refusal: 'NoCheckpoint', sequence };
    const continuation = await continuationOf(deps, checkpoint);
    return { kind: 'continued', continuation, sequence: checkpoint.sequence };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    deps.log.warn({ refusal: error.refusal }, 'the upload of the earlier pod cannot be continued');
    return { kind: 'refused', refusal: error.refusal, sequence };
  }
}
