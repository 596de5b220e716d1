import { buildSeconds } from '#tools/local-cluster/binaries.ts';
import { estimateSeconds, type MachineSpeed, roughly } from '#tools/local-cluster/build-estimate.ts';
import { measureSpeed } from '#tools/local-cluster/machine-speed.ts';
import { readDuration } from './kept-duration.ts';

/** All steps after the build, on the reference machine; most of it is waiting. */
const STEPS_AFTER_BUILD = { cpuSeconds: 30, serialSeconds: 15 };

export interface Plan {
  /** What the demo does and how long it takes on this machine. */
  readonly text: string;
  readonly isBuilt: boolean;
}

export async function makePlan(): Promise<Plan> {
  const speed = await measureSpeed();
  const secondsToBuild = await buildSeconds(speed);
  return {
    text: planText(speed, { secondsToBuild, measured: await readDuration() }),
    isBuilt: secondsToBuild === 0,
  };
}

/** `measured`: seconds that the steps after the build took the last time. Without it, they are estimated. */
export function planText(
  speed: MachineSpeed,
  { secondsToBuild, measured }: { readonly secondsToBuild: number; readonly measured: number | undefined },
): string {
  const rest = measured ?? estimateSeconds(STEPS_AFTER_BUILD, speed);
  // Other work on the machine and the download of the modules can double the time.
  const range = `${roughly(secondsToBuild)} to ${roughly(2 * secondsToBuild)}`;
  const build = secondsToBuild === 0 ? 'already built' : `once, ${range} with ${speed.cores} cores`;
  return `This demo archives real files on a real cluster, and checks the result:
  1. Build etcd, the Kubernetes control plane, kubectl, helm and an S3 server (${build})
  2. Start them, with one node whose pods are local processes
  3. Install the chart, then create a project, a bucket and a webhook receiver
  4. Request an archive of the installed packages' files and watch its progress
  5. Verify webhook, status and every byte of the archive, and open it in the dashboard
Steps 2 to 5 take about ${roughly(rest)}${measured === undefined ? '' : ', as they did the last time'}.`;
}
