/** The optional fields of a request that change how its job runs, as callers write them. A class or a project can close each. */
export const CALLER_OPTIONS = [
  'on_source_error',
  'compression',
  'on_conflict',
  'sha256',
  'manifest',
  'portable_names',
  'duplicate_names',
  'modification_time',
  'sequential',
  'object.content_disposition',
  'object.content_type',
  'object.cache_control',
  'object.storage_class',
  'object.metadata',
  'object.tags',
] as const;
export type CallerOption = (typeof CALLER_OPTIONS)[number];
