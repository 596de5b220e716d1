import type { Change } from '#runtime/kube/types.ts';
import { createJobChoices, type JobChoices } from './job-choices.ts';
import { createJobOrder, type JobOrder } from './job-order.ts';
import type { ListedJob } from './listed-job.ts';
import { createProgressSamples, type ProgressSamples } from './progress-samples.ts';

/** What the dashboard derives from the job watch in addition to the cache. */
export interface KnownJobs {
  note(change: Change<ListedJob>): void;
  readonly order: Omit<JobOrder, 'note'>;
  readonly choices: Omit<JobChoices, 'note'>;
  readonly samples: Omit<ProgressSamples, 'note'>;
}

export const createKnownJobs = (): KnownJobs => {
  const order = createJobOrder();
  const choices = createJobChoices();
  const samples = createProgressSamples();
  return {
    note: (change) => {
      order.note(change);
      choices.note(change);
      samples.note(change);
    },
    order,
    choices,
    samples,
  };
};
