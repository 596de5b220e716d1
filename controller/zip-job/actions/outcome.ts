import type { ZipJob } from '#crds/zip-job.ts';
import type { Outcome as AnyOutcome } from '../../reconciling/reconcile.ts';
import type { Hints } from '../observe.ts';

export type Outcome = AnyOutcome<Hints>;

export const DONE: Outcome = { kind: 'done' };
export const GONE: Outcome = { kind: 'gone' };
export const AGAIN: Outcome = { kind: 'again', hints: {} };

/** The current ZipJob of the API server, or how the reconcile ends without it. */
export type Fresh = { readonly zipJob: ZipJob } | { readonly end: Outcome };

export function kept(zipJob: ZipJob): Fresh {
  return { zipJob };
}
