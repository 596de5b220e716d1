import { microTime } from '#runtime/kube/micro-time.ts';
import type { Lease } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';

export interface LeaseLockOptions {
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: pod name and uid. */
  readonly identity: string;
  /** How long other replicas wait after the last change that they saw. */
  readonly leaseDurationMs: number;
  readonly clock: Clock;
  /** Called with every new version of the lease, for example to read its annotations. */
  readonly onSeen?: (lease: Lease) => void;
}

/**
 * A Lease as a lock. Each method makes one attempt and throws the error of the API server. The lease counts as held for its duration
 * after the last change that this process saw, by its own monotonic clock, so clocks of other machines do not matter; every
 * write contains the resourceVersion that was read, so one of two claimants gets a conflict.
 */
export interface LeaseLock {
  /**
   * Acquires the lease if it is free, expired, or already ours. A deleted lease that was held counts as held until it would
   * have expired, because its holder may not know about the deletion yet.
   */
  acquire(signal: AbortSignal): Promise<boolean>;
  /** Unlike `acquire`, never takes over the lease: once it is no longer ours it is lost, even if it is free. */
  renew(signal: AbortSignal): Promise<boolean>;
  /** Frees the lease. Resolves to true even if there was nothing to release. */
  release(signal: AbortSignal): Promise<boolean>;
  /** True if this process held the lease when it last read it. */
  isOurs(): boolean;
  /** Remaining time of a lease held by another process, as far as known. */
  heldForMs(): number;
}

function isSameVersion(a: Lease, b: Lease): boolean {
  return a.metadata.uid === b.metadata.uid && a.metadata.resourceVersion === b.metadata.resourceVersion;
}

class KubeLeaseLock implements LeaseLock {
  readonly #options: LeaseLockOptions;
  /** The lease as last read, with the local time of that read. */
  #observed: { readonly lease: Lease; readonly atMs: number } | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
  }

  async acquire(signal: AbortSignal): Promise<boolean> {
    const current = await this.#read(signal);
    if (this.heldForMs() > 0) return false;
    return current ? this.#claim(current, signal) : this.#create(signal);
  }

  async renew(signal: AbortSignal): Promise<boolean> {
    const current = await this.#read(signal);
    if (!current) return this.#create(signal);
    return this.isOurs() ? this.#claim(current, signal) : false;
  }

  async release(signal: AbortSignal): Promise<boolean> {
    // Read it again: a renewal that the stop interrupted may have been written anyway.
    const lease = await this.#read(signal);
    if (!lease || !this.isOurs()) return true;
    const renewTime = microTime(this.#options.clock.date());
    const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime };
    await this.#options.leases.replace({ ...lease, spec }, { signal });
    return true;
  }

  isOurs(): boolean {
    return this.#observed?.lease.spec?.holderIdentity === this.#options.identity;
  }

  heldForMs(): number {
    const { leaseDurationMs, clock } = this.#options;
    const { holderIdentity = '', leaseDurationSeconds = 0 } = this.#observed?.lease.spec ?? {};
    if (!this.#observed || holderIdentity === '' || this.isOurs()) return 0;
    const durationMs = Math.max(leaseDurationMs, leaseDurationSeconds * 1000);
    return Math.max(0, this.#observed.atMs + durationMs - clock.monotonicMs());
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { leases, namespace, name } = this.#options;
    const lease = await leases.get(namespace, name, signal);
    if (lease) this.#observe(lease);
    return lease;
  }

  /** The timer restarts only when the lease changes: the times in it come from other machines and are not trusted. */
  #observe(lease: Lease): void {
    if (this.#observed && isSameVersion(this.#observed.lease, lease)) return;
    this.#observed = { lease, atMs: this.#options.clock.monotonicMs() };
    this.#options.onSeen?.(lease);
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const created = await this.#options.leases.create(this.#freshLease(), { signal });
    if (created) this.#observe(created);
    return created !== undefined;
  }

  async #claim(before: Lease, signal: AbortSignal): Promise<boolean> {
    const { acquireTime, holderIdentity, leaseTransitions = 0 } = before.spec ?? {};
    const wasOurs = holderIdentity === this.#options.identity;
    const spec = {
      ...before.spec,
      ...this.#freshLease().spec,
      ...(wasOurs && acquireTime !== undefined ? { acquireTime } : {}),
      leaseTransitions: wasOurs ? leaseTransitions : leaseTransitions + 1,
    };
    this.#observe(await this.#options.leases.replace({ ...before, spec }, { signal }));
    return true;
  }

  #freshLease(): Lease {
    const { namespace, name, identity, leaseDurationMs, clock } = this.#options;
    const now = microTime(clock.date());
    return {
      metadata: { namespace, name },
      spec: {
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(leaseDurationMs / 1000),
        acquireTime: now,
        renewTime: now,
        leaseTransitions: 0,
      },
    };
  }
}

export function createLeaseLock(options: LeaseLockOptions): LeaseLock {
  return new KubeLeaseLock(options);
}
