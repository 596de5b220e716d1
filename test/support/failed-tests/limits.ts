/** Limits of what is printed about a failed test, and of what is kept of a failed run. */
export const LIMITS = {
  /** Limits of one explanation: its time, its lines, and the characters of a line. */
  explanationMs: 10_000,
  lines: 200,
  lineChars: 400,
  /** Maximum explanations per run: when the cluster is broken every test fails for the same reason. */
  explanations: 10,
  namespaces: 3,
  zipJobs: 4,
  events: 15,
  /** Maximum jobs and pods of one namespace. */
  workloads: 10,
  logFiles: 8,
  logLines: 20,
  /** Bytes read from the end of a log. */
  logTailBytes: 512 * 1024,
  /** Lines of the control plane's warnings, printed only without other logs. */
  warnings: 10,
  /** Limits of the kept logs of one cluster, and of one file. */
  keptBytes: 50 * 1024 * 1024,
  keptFileBytes: 8 * 1024 * 1024,
  /** Number of folders of earlier runs that the next run keeps. */
  keptResults: 5,
} as const;
