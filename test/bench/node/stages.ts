import { quantile } from '../rates.ts';
import { type JobMoments, MOMENTS } from './job-moments.ts';

/** What happens between two moments, and whether it is our work. */
export const STAGES = [
  { name: 'API: request to ZipJob', isOurs: true },
  { name: 'controller: ZipJob to Job', isOurs: true },
  { name: 'Job controller: Job to pod', isOurs: false },
  { name: 'scheduler: pod to node', isOurs: false },
  { name: 'kubelet and network: node to sandbox', isOurs: false },
  { name: 'containerd: sandbox to container', isOurs: false },
  { name: 'start of Node: container to first progress', isOurs: true },
  { name: 'download and upload: first progress to result', isOurs: true },
  { name: 'status: result to Succeeded', isOurs: true },
] as const;

export interface Stage {
  readonly stage: string;
  readonly p50_ms: number;
  readonly p99_ms: number;
}

/** Milliseconds of each stage, in order. Their sum is the time from POST to `succeeded`. */
export function stageTimes(moments: JobMoments): readonly number[] {
  return MOMENTS.slice(1).map((moment, index) => moments[moment] - moments[MOMENTS[index] ?? 'posted']);
}

/** Percentiles of each stage, of our stages together, of the others together, and of the whole. */
export function summarize(jobs: readonly JobMoments[]): readonly Stage[] {
  const times = jobs.map(stageTimes);
  function row(stage: string, isPart: (index: number) => boolean): Stage {
    const sums = times.map((all) => all.reduce((sum, ms, index) => sum + (isPart(index) ? ms : 0), 0));
    return { stage, p50_ms: quantile(sums, 0.5), p99_ms: quantile(sums, 0.99) };
  }
  const responses = jobs.map(({ posted, responded }) => responded - posted);
  return [
    ...STAGES.map(({ name }, at) => row(name, (index) => index === at)),
    row('ours', (index) => STAGES[index]?.isOurs === true),
    row('Kubernetes', (index) => STAGES[index]?.isOurs === false),
    row('POST to succeeded', () => true),
    { stage: 'POST to its response', p50_ms: quantile(responses, 0.5), p99_ms: quantile(responses, 0.99) },
  ];
}
