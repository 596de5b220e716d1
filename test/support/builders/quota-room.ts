import type { QuotaRoom } from '#controller/zip-job/lifetime/quota-room.ts';
import { quotaText } from '#runtime/kube/quota-refusal.ts';

/** There are no finished Jobs whose deletion would make room in a quota. */
export const NO_QUOTA_ROOM: QuotaRoom = {
  look: (_namespace, refusal) => ({
    refusal,
    isFreeable: false,
    freeableAt: undefined,
    message: quotaText(refusal),
  }),
  free: () => Promise.resolve(),
};
