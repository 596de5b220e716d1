import { type Fault, faultOf } from '#crds/job-failures.ts';
import type { Phase } from '#crds/zip-job.ts';
import type { Change } from '#runtime/kube/types.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createJobChoices, type JobChoices } from './job-choices.ts';
import { createJobOrder, type JobOrder } from './job-order.ts';
import { failureReason, isTestArchive, type ListedJob } from './listed-job.ts';
import { createProgressSamples, type ProgressSamples } from './progress-samples.ts';
import { createProjectUsage, type ProjectUsage } from './project-usage.ts';

/** Finished jobs in the cluster, by the time of their end. Cancelled ones are in none. */
export interface EndedJobs {
  readonly succeeded: Omit<JobOrder, 'note'>;
  readonly failed: Omit<JobOrder, 'note'>;
  /** Those of `failed` whose cause callers can correct. */
  readonly caller: Omit<JobOrder, 'note'>;
  /** Those of `failed` whose cause is zipjobs, its cluster or a store. */
  readonly operator: Omit<JobOrder, 'note'>;
}

type EndedJob = Pick<ListedJob, 'status'>;

function endOf(phase: Phase) {
  return ({ status }: EndedJob): string | undefined =>
    status.phase === phase ? status.finishedAt : undefined;
}

function endByFault(fault: Fault) {
  return (job: EndedJob): string | undefined =>
    faultOf(failureReason(job)) === fault ? endOf('Failed')(job) : undefined;
}

/** What the dashboard derives from the job watch in addition to the cache. */
export interface KnownJobs {
  note(change: Change<ListedJob>): void;
  readonly order: Omit<JobOrder, 'note'>;
  /** Only test archives. */
  readonly testOrder: Omit<JobOrder, 'note'>;
  /** Jobs by the time of their end. */
  readonly ended: EndedJobs;
  readonly choices: Omit<JobChoices, 'note'>;
  readonly deliveries: Omit<Deliveries, 'note'>;
  readonly samples: Omit<ProgressSamples, 'note'>;
  readonly usage: Omit<ProjectUsage, 'note'>;
}

export function createKnownJobs(): KnownJobs {
  const order = createJobOrder();
  const testOrder = createJobOrder();
  const ended = {
    succeeded: createJobOrder(endOf('Succeeded')),
    failed: createJobOrder(endOf('Failed')),
    caller: createJobOrder(endByFault('caller')),
    operator: createJobOrder(endByFault('operator')),
  };
  const choices = createJobChoices();
  const deliveries = createDeliveries();
  const samples = createProgressSamples();
  const usage = createProjectUsage();
  return {
    note: (change) => {
      order.note(change);
      // The key of a job never changes.
      if (isTestArchive(change.kind === 'set' ? change.object : change.before)) testOrder.note(change);
      for (const one of Object.values(ended)) one.note(change);
      choices.note(change);
      deliveries.note(change);
      samples.note(change);
      usage.note(change);
    },
    order,
    testOrder,
    ended,
    choices,
    deliveries,
    samples,
    usage,
  };
}
