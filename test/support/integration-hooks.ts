import { stopSharedBrowser } from './browser.ts';
import { sharedCluster, stopSharedCluster } from './shared-cluster.ts';

/** Before any test's own limit runs: the first start on a machine builds the cluster's programs. */
export async function mochaGlobalSetup(): Promise<void> {
  await sharedCluster();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopSharedBrowser();
  await stopSharedCluster();
}
