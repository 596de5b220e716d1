/** What of an upload survived its pod, for the dashboard and the command line. */
import {
  type Attempt,
  isFinished,
  RESUME_REFUSALS,
  type ResumeRefusal,
  type ZipJobStatus,
} from '#crds/zip-job.ts';
import { sizeText } from '../projects/size-text.ts';
import { countText } from './count-text.ts';

/** Parts of earlier attempts that were not made again. */
interface KeptParts {
  readonly resumedParts: number;
  /** Absent if it was not recorded. */
  readonly resumedBytes?: number | undefined;
}

/**
 * What the upload of an earlier attempt is to the active pod. `waiting`: no pod is active, and the next one is to continue it.
 * `verifying`: the active pod has not recorded its upload yet. `continued`, `refused`: it does or does not continue it.
 */
export type KeptUpload = {
  /** The last recorded attempt with that upload; null if it is no longer recorded. */
  readonly attempt: number | null;
} & (
  | { readonly state: 'waiting' | 'verifying' }
  | ({ readonly state: 'continued' } & KeptParts)
  | { readonly state: 'refused'; readonly refusal: ResumeRefusal }
);

type Known = Pick<ZipJobStatus, 'attempts' | 'inherits' | 'job' | 'phase' | 'progress' | 'upload'>;

function attemptWith({ attempts = [] }: Known, uploadId: string): number | null {
  return attempts.findLast(({ upload }) => upload?.uploadId === uploadId)?.n ?? null;
}

/** The upload that the active pod has recorded. Before its first progress, the one in the status is that of an earlier pod. */
function ownUpload({ job, progress, upload }: Known): Known['upload'] {
  return job?.podUid !== undefined && progress?.podUid === job.podUid ? upload : undefined;
}

/** Of a job that ends, the upload is aborted instead. */
function awaitsPod(status: Known): boolean {
  return status.phase !== 'Finalizing' && !isFinished({ status });
}

function ofInherited(status: Known): KeptUpload | undefined {
  const { inherits, job } = status;
  if (inherits === undefined || !awaitsPod(status)) return undefined;
  const attempt = attemptWith(status, inherits.uploadId);
  return { state: job?.podUid === undefined ? 'waiting' : 'verifying', attempt };
}

/** Undefined if no upload of an earlier attempt is continued or was to be. */
export function keptUpload(status: Known): KeptUpload | undefined {
  const { attempts = [] } = status;
  const { uploadId = '', refusal, resumedParts, resumedBytes } = ownUpload(status) ?? {};
  if (refusal !== undefined) {
    const before = attempts.findLast(({ upload }) => upload !== undefined);
    return { state: 'refused', attempt: before?.n ?? null, refusal };
  }
  return resumedParts === undefined
    ? ofInherited(status)
    : { state: 'continued', attempt: attemptWith(status, uploadId), resumedParts, resumedBytes };
}

/** `12 parts, 96.0 MiB kept`. */
function keptPartsText({ resumedParts, resumedBytes }: KeptParts): string {
  const bytes = resumedBytes === undefined ? '' : `, ${sizeText(resumedBytes)}`;
  return `${countText(resumedParts, 'part')}${bytes} kept`;
}

const REFUSALS: ReadonlyMap<string, string> = new Map(Object.entries(RESUME_REFUSALS));

/** A sentence; the reason itself if this version does not know it. */
function refusalText(refusal: string): string {
  return REFUSALS.get(refusal) ?? refusal;
}

/** What an attempt that ended kept of the earlier ones; empty if there was nothing to continue. */
export function keptByAttemptText({ resumedParts, resumedBytes, refusal }: Attempt): string {
  if (refusal !== undefined) return `Not continued: ${refusalText(refusal)}`;
  return resumedParts === undefined ? '' : `Continued: ${keptPartsText({ resumedParts, resumedBytes })}`;
}

export function keptUploadText(kept: KeptUpload): string {
  const of = kept.attempt === null ? 'an earlier attempt' : `attempt ${kept.attempt}`;
  switch (kept.state) {
    case 'waiting':
      return `Waits for the next pod; the upload of ${of} is kept`;
    case 'verifying':
      return `Verifies the upload of ${of}`;
    case 'continued':
      return `Continues the upload of ${of}: ${keptPartsText(kept)}`;
    case 'refused':
      return `Does not continue the upload of ${of}: ${refusalText(kept.refusal)}`;
  }
}
