import { isKubeError } from '../kube/client/kube-error.ts';
import { microTime } from '../kube/micro-time.ts';
import type { Lease, ServiceAccount } from '../kube/resources.ts';
import type { ObjectClient } from '../kube/types.ts';
import type { Clock } from '../time/clock.ts';

export interface TakeOverLeaseOptions {
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'replace'>;
  readonly serviceAccounts: Pick<ObjectClient<ServiceAccount>, 'get'>;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  /** Service account of the controllers, which is deleted with the release. */
  readonly serviceAccountName: string;
  readonly clock: Pick<Clock, 'date'>;
}

/** How long no controller can lead after the last takeover: by then the release and every controller are deleted. */
const LEASE_SECONDS = 60;
/** A leader writes the Lease every second or two. */
const TRIES = 20;

/** Makes Kubernetes delete the Lease with the release, so that a new installation does not wait for it. */
async function ownedByRelease(
  { serviceAccounts, namespace, serviceAccountName: name }: TakeOverLeaseOptions,
  signal: AbortSignal,
): Promise<Pick<Lease['metadata'], 'ownerReferences'>> {
  const account = await serviceAccounts.get(namespace, name, signal);
  const uid = account?.metadata.uid;
  return uid === undefined
    ? {}
    : { ownerReferences: [{ apiVersion: 'v1', kind: 'ServiceAccount', name, uid }] };
}

/**
 * Takes over the Lease, or keeps it: the leader stops at its next renewal, and no other replica starts. Only the uninstall
 * may do this, because the former leader runs until then; its writes contain versions, so they cause no harm.
 * Returns false if there is no Lease, so that no controller ever led.
 */
export async function takeOverLease(options: TakeOverLeaseOptions, signal: AbortSignal): Promise<boolean> {
  const { leases, namespace, name, identity, clock } = options;
  const owner = await ownedByRelease(options, signal);
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
      await leases.replace({ ...lease, metadata: { ...lease.metadata, ...owner }, spec }, { signal });
      return true;
    } catch (error) {
      if (tries >= TRIES || !isKubeError(error, 'Conflict')) throw error;
    }
  }
}
