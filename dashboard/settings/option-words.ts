/** Groups of a form with options, in order. */
export const OPTION_GROUPS = ['Content', 'Failures', 'Time limits', 'Object'] as const;
export type OptionGroup = (typeof OPTION_GROUPS)[number];

/** How forms call an option that this version knows. */
export interface OptionWords {
  readonly label: string;
  readonly group: OptionGroup;
  /** Default: none. */
  readonly hint?: string;
  /** What each value means. */
  readonly texts?: Readonly<Record<string, string>>;
  /** What applies without a value, where no single value says it. The end of "Default: ". */
  readonly unset?: string;
}

const PAIRS = 'One name=value per line.';
const KEPT = '0 s deletes them at once. Default: 7 days, unless the installation changes it.';

/** By the path below `jobDefaults`, in the order of the forms. An option that is not here gets its words from its schema. */
export const OPTION_WORDS: Readonly<Record<string, OptionWords>> = {
  compression: {
    label: 'Compression',
    group: 'Content',
    texts: { auto: 'Compress files that shrink', store: 'Do not compress', deflate: 'Compress every file' },
  },
  portableNames: {
    label: 'File names that Windows does not support',
    group: 'Content',
    texts: { keep: 'Keep them', refuse: 'Refuse the request', rewrite: 'Rewrite them' },
  },
  duplicateNames: {
    label: 'Files of the same name',
    group: 'Content',
    texts: { refuse: 'Refuse the request', rename: 'Rename the later ones' },
  },
  manifestFormat: {
    label: 'Manifest',
    group: 'Content',
    texts: { json: 'JSON', sha256sum: 'File for sha256sum -c', bagit: 'BagIt bag' },
    unset: 'none, or JSON if a manifest name is set',
  },
  manifestEntry: {
    label: 'Name of the JSON manifest',
    group: 'Content',
    hint: 'For example manifest.json.',
  },
  sha256: {
    label: 'SHA-256 of the archive',
    group: 'Content',
    texts: { true: 'Compute it', false: 'Do not compute it' },
  },
  fixedModificationTime: {
    label: 'Modification time of all files',
    group: 'Content',
    hint: 'For example 2026-01-01T00:00:00Z. The same files then give the same bytes.',
  },
  onSourceError: {
    label: 'If a file cannot be downloaded',
    group: 'Failures',
    texts: {
      Fail: 'Fail the job',
      Skip: 'Skip failed files',
      Placeholder: 'Replace failed files with a short text',
    },
  },
  onConflict: {
    label: 'If an object exists at the key',
    group: 'Failures',
    hint: 'A bucket can also require that the job fails.',
    texts: { replace: 'Replace the object', fail: 'Fail the job' },
  },
  maxAttempts: {
    label: 'Attempts',
    group: 'Failures',
    hint: 'Disruptions, such as evictions, do not count.',
  },
  sequential: {
    label: 'Downloads',
    group: 'Failures',
    hint: 'One at a time is slower. Choose it for URLs that work only once.',
    texts: { true: 'One at a time', false: 'Several at a time' },
    unset: 'as the installation sets it',
  },
  activeDeadlineSeconds: {
    label: 'Time limit of a job',
    group: 'Time limits',
    hint: 'All attempts together. Default: 2 hours, and more for archives above 150 GiB, unless the installation changes it.',
  },
  startDeadlineSeconds: {
    label: 'Time limit of the start',
    group: 'Time limits',
    hint: 'Until a pod reports its first progress.',
  },
  'ttlSecondsAfterFinished.succeeded': {
    label: 'Keep succeeded jobs in the cluster',
    group: 'Time limits',
    hint: KEPT,
  },
  'ttlSecondsAfterFinished.failed': {
    label: 'Keep failed jobs in the cluster',
    group: 'Time limits',
    hint: KEPT,
  },
  queueName: { label: 'Kueue queue', group: 'Time limits', hint: 'The LocalQueue that admits the jobs.' },
  'objectOptions.contentDisposition': {
    label: 'Content-Disposition of archives',
    group: 'Object',
    hint: 'For example attachment.',
  },
  'objectOptions.contentType': {
    label: 'Content-Type of archives',
    group: 'Object',
    hint: 'Default: application/zip.',
  },
  'objectOptions.cacheControl': {
    label: 'Cache-Control of archives',
    group: 'Object',
    hint: 'For example no-store.',
  },
  'objectOptions.storageClass': {
    label: 'Storage class of archives',
    group: 'Object',
    hint: 'For example STANDARD_IA.',
  },
  'objectOptions.metadata': { label: 'Metadata of archives', group: 'Object', hint: PAIRS },
  'objectOptions.tags': {
    label: 'Tags of archives',
    group: 'Object',
    hint: `${PAIRS} R2 has no tags.`,
  },
};
