/** Maximum time that a deletion waits for a recovery Job. The finalizer is removed within five minutes in any case. */
export const DELETION_GRACE_PERIOD_MS = 280_000;
/** The part of it that is left after the recovery: for the end of the job, and for the history. */
export const STORING_MS = 60_000;
