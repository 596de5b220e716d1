import { checkNewBucket, type NewBucket } from '#administration/buckets/bucket-input.ts';
import { locateStore, StoreLocationError, type StoreRules } from '#runtime/store/store-location.ts';
import type { FormState } from '../ui/form.ts';

/** The field that names the store of a bucket. */
function fieldOf({ service, endpoint }: NewBucket): string {
  if (endpoint !== undefined) return 'endpoint';
  return service === 'r2' ? 'host' : 'region';
}

/**
 * The error of a bucket whose store zippers would refuse, because the operator does not allow it.
 * @throws AdministrationError InvalidInput
 */
export function storeProblem(bucket: NewBucket, rules: StoreRules): FormState['errors'] {
  const { bucketName, ...place } = checkNewBucket(bucket);
  try {
    locateStore({ name: bucketName, ...place }, rules);
    return {};
  } catch (error) {
    if (!(error instanceof StoreLocationError)) throw error;
    return { [fieldOf(bucket)]: `zipjobs would not use this store: ${error.message}` };
  }
}
