import type { Change } from '#runtime/kube/types.ts';
import { createDeliveries, type Deliveries } from './deliveries.ts';
import { createJobChoices, type JobChoices } from './job-choices.ts';
import { createJobOrder, type JobOrder } from './job-order.ts';
import { isTestArchive, type ListedJob } from './listed-job.ts';
import { createProgressSamples, type ProgressSamples } from './progress-samples.ts';

/** What the dashboard derives from the job watch in addition to the cache. */
export interface KnownJobs {
  note(change: Change<ListedJob>): void;
  readonly order: Omit<JobOrder, 'note'>;
  /** Only test archives. */
  readonly testOrder: Omit<JobOrder, 'note'>;
  readonly choices: Omit<JobChoices, 'note'>;
  readonly deliveries: Omit<Deliveries, 'note'>;
  readonly samples: Omit<ProgressSamples, 'note'>;
}

export function createKnownJobs(): KnownJobs {
  const order = createJobOrder();
  const testOrder = createJobOrder();
  const choices = createJobChoices();
  const deliveries = createDeliveries();
  const samples = createProgressSamples();
  return {
    note: (change) => {
      order.note(change);
      // The key of a job never changes.
      if (isTestArchive(change.kind === 'set' ? change.object : change.before)) testOrder.note(change);
      choices.note(change);
      deliveries.note(change);
      samples.note(change);
    },
    order,
    testOrder,
    choices,
    deliveries,
    samples,
  };
}
