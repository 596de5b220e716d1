import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { bucketPermissions } from '#runtime/store/bucket-permissions.ts';
import type { Look } from '../ui/words.ts';

/** One IAM action, with what the last test found out about it. */
export interface TestedPermission {
  readonly action: string;
  readonly use: string;
  readonly result: 'Granted' | 'Missing' | 'Missing (optional)';
  readonly look: Look;
}

export interface TestedPermissions {
  readonly permissions: readonly TestedPermission[];
  /** Actions about which a failed test says nothing. */
  readonly unchecked: readonly string[];
}

function resultOf(isRequired: boolean, isMissing: boolean): Pick<TestedPermission, 'result' | 'look'> {
  if (!isMissing) return { result: 'Granted', look: 'good' };
  return isRequired ? { result: 'Missing', look: 'bad' } : { result: 'Missing (optional)', look: 'warn' };
}

/** The permissions of a bucket with IAM, after a test. A failed test says only what it found missing. */
export function testedPermissions({
  service,
  endpoint,
  lastTest,
  objectOptions,
  readable,
}: Pick<Bucket, 'service' | 'endpoint' | 'lastTest' | 'objectOptions' | 'readable'>): TestedPermissions {
  // The tokens of R2 have no permissions for single actions.
  if (lastTest === null || (service === 'r2' && endpoint === null)) return { permissions: [], unchecked: [] };
  const { ok, missingPermissions } = lastTest;
  const all = bucketPermissions(objectOptions, readable).flatMap(({ actions, use, isRequired }) =>
    actions.map((action) => ({ action, use, isRequired, isMissing: missingPermissions.includes(action) })),
  );
  return {
    permissions: all
      .filter(({ isMissing }) => ok || isMissing)
      .map(({ action, use, isRequired, isMissing }) => ({ action, use, ...resultOf(isRequired, isMissing) })),
    unchecked: all.filter(({ isMissing }) => !ok && !isMissing).map(({ action }) => action),
  };
}
