import type { LeaderElectionOptions } from '#controller/reconciling/leader-election.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Lease } from '#runtime/kube/resources.ts';

/**
 * A Lease with the conflict rules of the API server: every write has a new version, and one based on an old
 * version is refused.
 */
export function createLeaseStore() {
  let lease: Lease | undefined;
  let version = 0;
  let failure: KubeError | undefined;
  function guard(): void {
    if (failure) throw failure;
  }
  function store(next: Lease): Lease {
    version += 1;
    lease = { ...next, metadata: { ...next.metadata, uid: 'lease', resourceVersion: String(version) } };
    return lease;
  }
  const leases: LeaderElectionOptions['leases'] = {
    get: async () => {
      guard();
      return lease;
    },
    create: async (next) => {
      guard();
      return lease ? undefined : store(next);
    },
    replace: async (next) => {
      guard();
      if (next.metadata.resourceVersion !== lease?.metadata.resourceVersion)
        throw new KubeError('it was modified', { code: 'Conflict', httpStatus: 409 });
      return store(next);
    },
  };
  return {
    leases,
    holder: () => lease?.spec?.holderIdentity,
    spec: () => lease?.spec,
    overwrite: (spec: Partial<Lease['spec']>) => {
      if (lease) store({ ...lease, spec: { ...lease.spec, ...spec } });
    },
    remove: () => {
      lease = undefined;
    },
    fail: (error: KubeError | undefined) => {
      failure = error;
    },
  };
}
