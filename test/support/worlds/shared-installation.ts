import { type Installation, installChart } from '../processes/installation.ts';
import { sharedCluster } from './shared-cluster.ts';

let installation: Promise<Installation> | undefined;

/** The chart on the shared cluster, installed once in a mocha run. */
export const sharedInstallation = (): Promise<Installation> => {
  installation ??= sharedCluster().then((cluster) => installChart(cluster));
  return installation;
};

/** Puts the chart back as it is installed for everybody, after a test that installed it otherwise. */
export const resetInstallation = async (): Promise<void> => {
  installation = sharedCluster().then((cluster) => installChart(cluster));
  await installation;
};
