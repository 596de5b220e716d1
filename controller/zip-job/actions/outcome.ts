import type { ZipJob } from '#crds/zip-job.ts';
import type { Hints } from '../observe.ts';

/** `again`: something moved, look once more at once. `gone`: there is no such ZipJob any more. */
export type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'again'; readonly hints: Hints };

export const DONE: Outcome = { kind: 'done' };
export const GONE: Outcome = { kind: 'gone' };
export const AGAIN: Outcome = { kind: 'again', hints: {} };

/** A ZipJob as the API server has it now, or how the pass ends without it. */
export type Fresh = { readonly zipJob: ZipJob } | { readonly end: Outcome };

export const kept = (zipJob: ZipJob): Fresh => ({ zipJob });
