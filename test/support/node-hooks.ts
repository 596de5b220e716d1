/** Hooks of the tests on a real node. */
import { stopSharedBrowser } from './browser/browser.ts';
import { nodeUnavailable, realCluster, stopRealCluster } from './worlds/real-cluster.ts';

/** Not subject to any test's own timeout: images are unpacked here. */
export async function prepareProcess(): Promise<void> {
  if (nodeUnavailable() === undefined) await realCluster();
}

export async function mochaGlobalSetup(): Promise<void> {
  await prepareProcess();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await stopSharedBrowser();
  await stopRealCluster();
}
