/** Variables of the command that main.ts runs. */
export const NODE_ENV = {
  /** Why there is no node. */
  unavailable: 'ZIPJOBS_NODE_UNAVAILABLE',
  /** Folder of the node's files. */
  dir: 'ZIPJOBS_NODE_DIR',
  /** Name of the parent of all cgroups. */
  cgroup: 'ZIPJOBS_NODE_CGROUP',
  /** Archive of our images. */
  images: 'ZIPJOBS_NODE_IMAGES',
  /** Milliseconds before a Job replaces its first failed pod, set by the user. */
  jobBackoffMs: 'ZIPJOBS_NODE_JOB_BACKOFF_MS',
} as const;
