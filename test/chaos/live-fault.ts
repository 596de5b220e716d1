import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';
import type { Place } from './observations.ts';
import type { PlannedFault, ProcessName } from './planned-fault.ts';

/** A fault that waits for its time or its request. */
export interface LiveFault {
  readonly judge?: (place: Place, request: ProxiedRequest) => FaultAction | undefined;
  /** Resolves when its timed effect is done; rejects when the signal ends the wait. */
  readonly act?: (signal: AbortSignal) => Promise<void>;
}

export type FaultOf<K extends PlannedFault['kind']> = Extract<PlannedFault, { kind: K }>;

const SERVICE_ACCOUNTS: Readonly<Record<ProcessName, string>> = {
  api: 'zipjobs-api',
  controller: 'zipjobs-controller',
  zipper: ZIPPER_SERVICE_ACCOUNT,
};

export function isOf(request: Pick<ProxiedRequest, 'actor'>, who: ProcessName): boolean {
  return request.actor?.serviceAccount === SERVICE_ACCOUNTS[who];
}
