import { type Fault, faultOf } from '#crds/job-failures.ts';

/** As in the alert ZipjobsFailureRatio. */
const MOST_FAILED = 0.2;
const FEWEST_JOBS = 10;

/** How many jobs failed, by who can correct the cause: callers, or the operator of zipjobs, its cluster and the store. */
export interface Faults {
  readonly caller: number;
  readonly operator: number;
}

export function faultsOf(failures: readonly { readonly reason: string; readonly count: number }[]): Faults {
  function sum(fault: Fault): number {
    return failures.reduce((all, { reason, count }) => all + (faultOf(reason) === fault ? count : 0), 0);
  }
  return { caller: sum('caller'), operator: sum('operator') };
}

/**
 * Whether more than 20 % of more than 10 jobs failed: because of callers, or, among the other jobs, because of the operator.
 * Cancelled jobs do not count.
 */
export function isAboveThreshold({ caller, operator }: Faults, succeeded: number): boolean {
  function isAbove(failed: number, ended: number): boolean {
    return ended > FEWEST_JOBS && failed > MOST_FAILED * ended;
  }
  return isAbove(caller, succeeded + caller + operator) || isAbove(operator, succeeded + operator);
}
