import type { ProjectLimits } from '#crds/zip-project.ts';
import type { ControllerConfig } from '../config.ts';
import type { LedgerOptions } from './ledger.ts';
import type { StoreOutages } from './store-outages.ts';

/** The limits of the settings, and those of the project's class, which a project can only lower. */
export function ledgerSettings(
  config: Pick<
    ControllerConfig,
    'maxActiveJobs' | 'maxActiveJobsPerBucket' | 'jobCreateRate' | 'jobCreateBurst' | 'trustedQueues'
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
    rate: { perSecond: config.jobCreateRate, burst: config.jobCreateBurst },
  };
}
