import { REASONS } from '#crds/conditions.ts';
import { FAILURE_CODES } from '#crds/exit-codes.ts';

/** True for a reason of ours. Any other may be text of a pod, which belongs in no label of a metric and no trace. */
export function isOwnReason(reason: string): boolean {
  return Object.hasOwn(REASONS, reason) || Object.hasOwn(FAILURE_CODES, reason);
}
