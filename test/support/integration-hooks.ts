import { clusterDirs } from '#tools/local-cluster/cluster-dir.ts';
import { stopSharedBrowser } from './browser/browser.ts';
import { keepLogsOf, watchFailures } from './failed-tests.ts';
import { processResources } from './process-resources.ts';
import { sharedCluster, stopSharedCluster } from './worlds/shared-cluster.ts';

let prepared: Promise<void> | undefined;

async function prepare(): Promise<void> {
  keepLogsOf('start');
  await sharedCluster();
  delete clusterDirs.beforeRemoval;
}

/** Not subject to any test's own timeout: the first start on a machine builds the cluster's programs. */
export async function prepareProcess(): Promise<void> {
  await (prepared ??= prepare());
}

/**
 * Mocha calls it with the runner, whose events include failed hooks: a root hook `afterEach` does not run
 * after a failed `before`.
 */
export async function mochaGlobalSetup(this: Mocha.Runner): Promise<void> {
  await prepareProcess();
  watchFailures(this);
}

export async function mochaGlobalTeardown(): Promise<void> {
  await processResources.disposeAsync();
  await stopSharedBrowser();
  await stopSharedCluster();
}
