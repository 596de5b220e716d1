import { type Installation, installChart } from '../processes/installation.ts';
import { sharedCluster } from './shared-cluster.ts';

let installation: Promise<Installation> | undefined;

/** The chart on the shared cluster, installed once per mocha run. */
export const sharedInstallation = (): Promise<Installation> => {
  installation ??= sharedCluster().then((cluster) => installChart(cluster));
  return installation;
};

/** Restores the default installation of the chart, after a test that changed it. */
export const resetInstallation = async (): Promise<void> => {
  installation = sharedCluster().then((cluster) => installChart(cluster));
  await installation;
};
