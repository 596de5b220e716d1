import { createLedger, type Ledger } from '#controller/queue/ledger.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

export interface Limits {
  readonly inAll?: number;
  readonly perBucket?: number;
  readonly ofProject?: (project: string) => number;
}

/** A ledger with a clock of its own, the keys that it reserved, and those that became next of their key. */
export function setUp({ inAll = 100, perBucket = 100, ofProject = () => 100 }: Limits = {}, perSecond = 1e6) {
  const reserved: string[] = [];
  const next: string[] = [];
  const buckets = new Map<string, string>();
  /** Buckets whose store is away. */
  const held = new Set<string>();
  const clock = createManualClock();
  const pause: { reason: string | undefined } = { reason: undefined };
  const ledger = createLedger({
    limits: { inAll, perBucket, ofProject, isHeld: (bucket) => held.has(bucket) },
    trustedQueues: ['night'],
    pause,
    rate: { perSecond, burst: perSecond },
    clock,
    physicalBucket: (bucket) => buckets.get(bucket),
    onReserved: (key) => {
      reserved.push(key);
    },
    onNext: (key) => {
      next.push(key);
    },
  });
  function reserve(...jobs: readonly ZipJob[]): readonly string[] {
    return jobs.map((one) => ledger.reserve(one).state);
  }
  return { ledger, reserved, next, buckets, held, clock, pause, reserve };
}

/** Name of the job that runs before this one. */
export function jobBefore(ledger: Ledger, zipJob: ZipJob): string | undefined {
  const { blocked } = ledger.position(zipJob);
  return blocked?.reason === 'OlderJobFirst' ? /job (\S+) writes/.exec(blocked.message)?.[1] : undefined;
}
