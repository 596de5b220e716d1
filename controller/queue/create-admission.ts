import type { ProjectLimits } from '#crds/zip-project.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Caches } from '../cluster/caches.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { WorkQueue } from '../reconciling/work-queue.ts';
import { createLedger, type Ledger, type LedgerOptions } from './ledger.ts';
import { physicalBucketOf } from './physical-bucket.ts';
import { createStoreOutages, type StoreOutages } from './store-outages.ts';

/** The limits of the settings, and those of the project's class, which a project can only lower. */
function ledgerSettings(
  config: Pick<
    ControllerConfig,
    'maxActiveJobs' | 'maxActiveJobsPerBucket' | 'jobCreateRate' | 'trustedQueues'
  >,
  limitsIn: (namespace: string) => Pick<ProjectLimits, 'activeJobs'>,
  { isHeld }: Pick<StoreOutages, 'isHeld'>,
): Pick<LedgerOptions, 'limits' | 'rate' | 'trustedQueues'> {
  return {
    trustedQueues: config.trustedQueues,
    limits: {
      inAll: config.maxActiveJobs,
      perBucket: config.maxActiveJobsPerBucket,
      isHeld,
      ofProject: (namespace) => limitsIn(namespace).activeJobs,
    },
    rate: { perSecond: config.jobCreateRate, burst: 2 * config.jobCreateRate },
  };
}

interface Base extends Pick<LedgerOptions, 'clock'> {
  readonly config: Parameters<typeof ledgerSettings>[0];
}

export interface AdmissionOptions extends Pick<LedgerOptions, 'pause'> {
  readonly limitsIn: Parameters<typeof ledgerSettings>[1];
  readonly leadership: { readonly isOurs: boolean };
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly caches: () => Pick<Caches, 'buckets'>;
  readonly onZipJob: (key: ObjectKey) => void;
  readonly onBucket: (key: ObjectKey) => void;
}

export interface Admission {
  readonly ledger: Ledger;
  readonly storeOutages: StoreOutages;
}

/** Decides which jobs may start. */
export function createAdmission({ config, clock }: Base, options: AdmissionOptions): Admission {
  const { limitsIn, pause, leadership, queue, caches, onZipJob, onBucket } = options;
  const storeOutages = createStoreOutages({
    leads: () => leadership.isOurs,
    exists: (bucket) => caches().buckets.get(bucket) !== undefined,
    // Its condition says so, and its jobs may get slots again.
    onChange: (bucket) => {
      ledger.refresh();
      onBucket(bucket);
    },
  });
  const ledger = createLedger({
    pause,
    clock,
    ...ledgerSettings(config, limitsIn, storeOutages),
    physicalBucket: (key) => {
      const bucket = caches().buckets.get(key);
      return bucket && physicalBucketOf(bucket);
    },
    onReserved: (key) => queue.add(key),
    onNext: onZipJob,
  });
  return { ledger, storeOutages };
}
