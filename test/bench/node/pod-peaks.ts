/** The memory of a zipper's pod over its whole life. */
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#test/support/until.ts';
import type { RealFlow } from '#test/support/worlds/real-flow.ts';
import { type CgroupMemory, memoryOfPod } from '#tools/real-node/pod-memory.ts';

const SAMPLE_MS = 50;

/** Peaks of the pod's cgroup. */
export type PodPeaks = Pick<CgroupMemory, 'peak' | 'workingSet'>;

/** Reads the cgroup of the job's only pod until the kernel has removed it. */
export async function peaksOfJob({ project }: RealFlow, cgroup: string, uuid: string): Promise<PodPeaks> {
  const uid = await until(
    'the pod to be activated',
    async () => (await project.zipJob(uuid)).status?.job?.podUid,
  );
  let peaks: PodPeaks = { peak: 0, workingSet: 0 };
  for (;;) {
    const memory = await memoryOfPod(cgroup, uid);
    if (memory === undefined) return peaks;
    const { peak, workingSet } = memory;
    peaks = { peak: Math.max(peak, peaks.peak), workingSet: Math.max(workingSet, peaks.workingSet) };
    await delay(SAMPLE_MS);
  }
}
