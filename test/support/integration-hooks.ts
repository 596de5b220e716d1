import { stopSharedBrowser } from './browser.ts';
import { type RunWatch, watchRun } from './failed-tests/watch-run.ts';
import { sharedCluster, stopSharedCluster } from './shared-cluster.ts';

let watch: RunWatch | undefined;

/**
 * Before any test's own limit runs: the first start on a machine builds the cluster's programs. Mocha calls it with the
 * runner, whose events include failed hooks: a root hook `afterEach` does not run after a failed `before`.
 */
export async function mochaGlobalSetup(this: Mocha.Runner): Promise<void> {
  watch = await watchRun(this);
  await sharedCluster();
  watch.clusterStarted();
}

export async function mochaGlobalTeardown(): Promise<void> {
  await watch?.finished();
  await stopSharedBrowser();
  await stopSharedCluster();
}
