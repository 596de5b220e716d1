import { buildSeconds } from '#tools/local-cluster/binaries.ts';
import { estimateSeconds, type MachineSpeed, roughly } from '#tools/local-cluster/build-estimate.ts';
import { measureSpeed } from '#tools/local-cluster/machine-speed.ts';

/** All steps after the build, on the reference machine; most of it is waiting. */
const STEPS_AFTER_BUILD = { cpuSeconds: 30, serialSeconds: 15 };

/** What the demo does and how long it takes on this machine. */
export async function describePlan(): Promise<string> {
  const speed = await measureSpeed();
  return planText(speed, await buildSeconds(speed));
}

export function planText(speed: MachineSpeed, secondsToBuild: number): string {
  const rest = estimateSeconds(STEPS_AFTER_BUILD, speed);
  const build = secondsToBuild === 0 ? 'already built' : `once, about ${roughly(secondsToBuild)}`;
  return `This demo archives real files on a real cluster, and checks the result. About ${roughly(secondsToBuild + rest)} on this machine (${speed.cores} cores):
  1. Build etcd, the Kubernetes control plane, kubectl, helm and an S3 server (${build})
  2. Start them, with one node whose pods are local processes
  3. Install the chart, then create a project, a bucket and a webhook receiver
  4. Request an archive of the installed packages' files and watch its progress
  5. Verify webhook, status and every byte of the archive (2 to 5: about ${roughly(rest)})`;
}
