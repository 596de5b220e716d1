import type { Clock } from '#runtime/clock.ts';
import type { Lease } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log.ts';

export interface LeaderElectionOptions {
  readonly leases: Pick<ObjectClient<Lease>, 'get' | 'create' | 'replace'>;
  readonly namespace: string;
  readonly name: string;
  /** Unique per process: pod name and uid. */
  readonly identity: string;
  readonly leaseDurationMs?: number;
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Runs while this process leads; its signal aborts when it should stop, or must because the lease is lost. */
  readonly lead: (signal: AbortSignal) => Promise<void>;
  /** Ends the election: `lead` is stopped, awaited, and the lease released. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock?: Clock;
  /** For leader_election_master_status. */
  readonly onChange?: (leading: boolean) => void;
}

/** @throws AppError with code LeadershipLost: the process must exit, since what it still does is no longer alone. */
export declare const runAsLeader: (options: LeaderElectionOptions) => Promise<void>;
