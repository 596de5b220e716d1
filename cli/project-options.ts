/** Options that several commands of a project share. */
export const PROJECT_LIMITS = {
  'active-jobs': 'Maximum number of jobs that run at once',
  'files-per-job': 'Maximum number of files in one archive',
  'archive-bytes': 'Maximum bytes of one archive',
  'requests-per-minute': 'Maximum number of API requests per minute',
  'creates-per-second': 'Maximum number of creates per second',
  'files-per-second': 'Maximum number of files in creates per second',
  'stored-jobs': 'Maximum number of stored jobs',
  'stored-bytes': 'Maximum bytes of the stored jobs and their file lists',
} as const;

export const PROJECT = { type: 'string', demandOption: true, describe: 'Namespace of the project' } as const;
