import type { ZipJob } from '#crds/zip-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { Action } from '../observation.ts';
import type { ActOptions } from './act-options.ts';
import { AGAIN, type Fresh, kept } from './outcome.ts';

const LOCAL = ['reserve', 'release', 'discardDelivery', 'deliverWebhook'] as const;

/** Actions on the state of this process; none calls the API server. */
export type LocalAction = Extract<Action, { readonly kind: (typeof LOCAL)[number] }>;

export function isLocal(action: Action): action is LocalAction {
  return LOCAL.some((kind) => kind === action.kind);
}

export function performLocally(options: ActOptions, zipJob: ZipJob, action: LocalAction): Fresh {
  switch (action.kind) {
    case 'reserve':
      // If the job is blocked, the next observation contains the reason.
      return options.ledger.reserve(zipJob).blocked ? { end: AGAIN } : kept(zipJob);
    case 'release':
      options.ledger.release(objectKey(zipJob), action.state);
      return kept(zipJob);
    case 'discardDelivery':
      options.dispatcher.acknowledge(objectKey(zipJob));
      return kept(zipJob);
    case 'deliverWebhook':
      options.dispatcher.submit(options.planDelivery(zipJob));
      return kept(zipJob);
  }
}
