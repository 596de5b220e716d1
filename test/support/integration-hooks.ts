import { stopSharedBrowser } from './browser/browser.ts';
import { type RunWatch, watchRuns } from './failed-tests/watch-run.ts';
import { processResources } from './process-resources.ts';
import { sharedCluster, stopSharedCluster } from './worlds/shared-cluster.ts';

let watching: Promise<RunWatch> | undefined;

/** Not subject to any test's own timeout: the first start on a machine builds the cluster's programs. */
export async function prepareProcess(): Promise<void> {
  watching ??= watchRuns();
  const watch = await watching;
  await sharedCluster();
  watch.clusterStarted();
}

/**
 * Mocha calls it with the runner, whose events include failed hooks: a root hook `afterEach` does not run
 * after a failed `before`.
 */
export async function mochaGlobalSetup(this: Mocha.Runner): Promise<void> {
  watching ??= watchRuns();
  (await watching).watch(this);
  await prepareProcess();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await (await watching)?.finished();
  await processResources.disposeAsync();
  await stopSharedBrowser();
  await stopSharedCluster();
}
