import { projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ObjectKey } from '#runtime/kube/types.ts';
import type { ControllerConfig } from '../config.ts';
import type { LedgerOptions } from './ledger.ts';

/** The limits of the settings; the limit of a project, if set, takes precedence. */
export const ledgerSettings = (
  config: Pick<
    ControllerConfig,
    | 'maxActiveJobs'
    | 'maxActiveJobsPerProject'
    | 'maxActiveJobsPerBucket'
    | 'jobCreateRate'
    | 'jobCreateBurst'
    | 'trustedQueues'
  >,
  findProject: (key: ObjectKey) => ZipProject | undefined,
): Pick<LedgerOptions, 'limits' | 'rate' | 'trustedQueues'> => ({
  trustedQueues: config.trustedQueues,
  limits: {
    inAll: config.maxActiveJobs,
    perBucket: config.maxActiveJobsPerBucket,
    ofProject: (namespace) =>
      findProject(projectKey(namespace))?.spec.limits?.activeJobs ?? config.maxActiveJobsPerProject,
  },
  rate: { perSecond: config.jobCreateRate, burst: config.jobCreateBurst },
});
