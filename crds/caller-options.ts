/** The optional fields of a request that change how its job runs, as callers write them. A class or a project can close each. */
export const CALLER_OPTIONS = [
  'on_source_error',
  'compression',
  'on_conflict',
  'sha256',
  'manifest',
  'portable_names',
  'modification_time',
  'sequential',
] as const;
export type CallerOption = (typeof CALLER_OPTIONS)[number];
