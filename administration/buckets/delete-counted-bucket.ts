import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { defined } from '#runtime/collections/optional.ts';
import { toError } from '#runtime/errors.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { type WaitForOptions, waitFor } from '../changes/wait-for.ts';
import { hasCode } from '../errors/administration-error.ts';

/** The policy bucket-deletions of the chart refused. */
function isInUse(error: unknown): boolean {
  return hasCode(error, 'Refused') && isKubeError(error.cause) && error.cause.mark === POLICY_MARKS.inUse;
}

const LIMIT_MS = 5_000;

/**
 * Deletes a ZipBucket. The API server refuses that while the status counts jobs, unless the project is being deleted. The count, and
 * what the API server knows of the project, lag behind. So only a refusal that lasts is one. Nothing else is tried again: a project
 * may have hundreds of buckets.
 * @throws AdministrationError Refused
 */
export async function deleteCountedBucket(
  buckets: Pick<ObjectClient<ZipBucket>, 'delete'>,
  { namespace, name, uid }: { readonly namespace: string; readonly name: string; readonly uid?: string },
  wait: Omit<WaitForOptions, 'limitMs'>,
): Promise<void> {
  let refusal: unknown;
  const end = await waitFor<{ readonly failure?: Error }>({ ...wait, limitMs: LIMIT_MS }, async () => {
    try {
      await buckets.delete(namespace, name, defined({ uid }));
      return {};
    } catch (error) {
      if (!isInUse(error)) return { failure: toError(error) };
      refusal = error;
      return undefined;
    }
  });
  if (end === undefined) throw refusal;
  if (end.failure) throw end.failure;
}
