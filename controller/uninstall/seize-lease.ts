import type { Clock } from '#runtime/clock.ts';
import { isKubeError } from '#runtime/kube/kube-error.ts';
import type { Lease } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { microTime } from '../lease-lock.ts';

export interface SeizeLeaseOptions {
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly clock: Pick<Clock, 'date'>;
}

/**
 * So long no controller leads after the last seizure: by then the release, and with it every controller, is gone. One that is
 * installed anew waits for it at most.
 */
const LEASE_SECONDS = 60;
/** A leader writes the Lease every second or two. */
const TRIES = 20;

/**
 * Takes the Lease away from whoever leads, or keeps it: the leader stops at its next look, and no other begins. Nobody else may
 * do so, since two might then lead; here there is nothing that the other could still spoil, as its writes name versions.
 * Answers false when there is no Lease, so that nobody ever led.
 */
export const seizeLease = async (options: SeizeLeaseOptions, signal: AbortSignal): Promise<boolean> => {
  const { leases, namespace, name, identity, clock } = options;
  for (let tries = 1; ; tries += 1) {
    const lease = await leases.get(namespace, name, signal);
    if (!lease) return false;
    const now = microTime(clock.date());
    const spec = {
      ...lease.spec,
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: now,
      renewTime: now,
    };
    try {
      await leases.replace({ ...lease, spec }, { signal });
      return true;
    } catch (error) {
      if (tries >= TRIES || !isKubeError(error, 'Conflict')) throw error;
    }
  }
};
