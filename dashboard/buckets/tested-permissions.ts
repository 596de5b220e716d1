import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { bucketPermissions } from '#runtime/store/bucket-permissions.ts';
import type { Look } from '../ui/words.ts';

/** One IAM action, with what the last test found out about it. */
export interface TestedPermission {
  readonly action: string;
  readonly use: string;
  readonly result: 'Granted' | 'Missing' | 'Missing (optional)' | 'Unknown';
  readonly look: Look;
}

/** The permissions of a bucket with IAM, after a test. A failed test says only what it found missing. */
export function testedPermissions({
  service,
  endpoint,
  lastTest,
  objectOptions,
}: Pick<Bucket, 'service' | 'endpoint' | 'lastTest' | 'objectOptions'>): readonly TestedPermission[] {
  // The tokens of R2 have no permissions for single actions.
  if (lastTest === null || (service === 'r2' && endpoint === null)) return [];
  const { ok, missingPermissions } = lastTest;
  function outcomeOf(action: string, isRequired: boolean): Pick<TestedPermission, 'result' | 'look'> {
    if (missingPermissions.includes(action))
      return isRequired ? { result: 'Missing', look: 'bad' } : { result: 'Missing (optional)', look: 'warn' };
    return ok ? { result: 'Granted', look: 'good' } : { result: 'Unknown', look: 'quiet' };
  }
  return bucketPermissions(objectOptions).flatMap(({ actions, use, isRequired }) =>
    actions.map((action) => ({ action, use, ...outcomeOf(action, isRequired) })),
  );
}
