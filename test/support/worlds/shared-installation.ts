import { type Installation, installChart } from '../processes/installation.ts';
import { sharedCluster } from './shared-cluster.ts';

let installation: Promise<Installation> | undefined;

/** The chart on the shared cluster, with its default values, installed when a test first needs it. */
export function sharedInstallation(): Promise<Installation> {
  installation ??= sharedCluster().then((cluster) => installChart(cluster));
  return installation;
}

/**
 * After a test that changed the installation: the next one that needs the default values installs them. Until then the
 * changed one runs.
 */
export function forgetInstallation(): void {
  installation = undefined;
}

/** Restores the default installation at once: its pods must not outlive what the test started for them. */
export async function resetInstallation(): Promise<void> {
  forgetInstallation();
  await sharedInstallation();
}
