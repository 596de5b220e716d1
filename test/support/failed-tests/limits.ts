/** How much is printed about a failed test, and how much is kept of a failed run. */
export const LIMITS = {
  /** Of one explanation: the time it may take, its lines, and the characters of a line. */
  explanationMs: 10_000,
  lines: 200,
  lineChars: 400,
  /** Explanations of one run: when the cluster is broken every test fails for the same reason. */
  explanations: 10,
  namespaces: 3,
  zipJobs: 4,
  events: 15,
  /** Jobs and pods of one namespace. */
  workloads: 10,
  logFiles: 8,
  logLines: 20,
  /** Bytes read from the end of a log. */
  logTailBytes: 512 * 1024,
  /** Lines of the control plane's warnings, printed when there is nothing else. */
  warnings: 10,
  /** Of the kept logs of one cluster, and of one file among them. */
  keptBytes: 50 * 1024 * 1024,
  keptFileBytes: 8 * 1024 * 1024,
  /** Folders of earlier runs that the next run leaves in place. */
  keptResults: 5,
} as const;
