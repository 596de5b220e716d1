import type { ProjectLimits } from '#crds/zip-project.ts';

export type LimitName = keyof ProjectLimits;

export function eachLimit<T>(valueOf: (name: LimitName) => T): Readonly<Record<LimitName, T>> {
  return {
    activeJobs: valueOf('activeJobs'),
    filesPerJob: valueOf('filesPerJob'),
    archiveBytes: valueOf('archiveBytes'),
    requestsPerMinute: valueOf('requestsPerMinute'),
    createsPerSecond: valueOf('createsPerSecond'),
    filesPerSecond: valueOf('filesPerSecond'),
    storedJobs: valueOf('storedJobs'),
    storedBytes: valueOf('storedBytes'),
  };
}

/** In bytes. */
const SIZES: ReadonlySet<LimitName> = new Set(['archiveBytes', 'storedBytes']);
const RATES: ReadonlySet<LimitName> = new Set(['requestsPerMinute', 'createsPerSecond', 'filesPerSecond']);

export function isSize(name: LimitName): boolean {
  return SIZES.has(name);
}

/** True for the value of a class that means no limit. */
export function isNoLimit(name: LimitName, value: number): boolean {
  return RATES.has(name) && value === 0;
}

/**
 * The limit in force: that of the class, or a lower one of the ZipProject. Users who own a namespace may edit its ZipProject,
 * so it cannot raise a limit of the operator.
 */
export function lowerLimit(name: LimitName, ofClass: number, own: number | null | undefined): number {
  if (own === null || own === undefined) return ofClass;
  return isNoLimit(name, ofClass) ? own : Math.min(ofClass, own);
}
