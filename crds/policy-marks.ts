/**
 * Marks in the messages of the chart's admission policies, between brackets: `[zipjobs.dev/in-use]`. Only by them do our processes
 * tell which rule refused a call, because the messages are for people and the names of the policies depend on the release.
 */
export const POLICY_MARKS = {
  /** zipper-status: the pod is not, or no longer, active. No other refusal of the API server ends an attempt at once. */
  notActive: 'zipjobs.dev/not-active',
  /** api-zipjob-defaults: the project has changed since the API read it, so the next request succeeds. */
  projectChanged: 'zipjobs.dev/project-changed',
  /** bucket-deletions: unfinished jobs use the ZipBucket. */
  inUse: 'zipjobs.dev/in-use',
} as const;
