/** Lets days pass for our processes in a moment: what makes retries of webhooks and clock jumps testable. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

export type ClockedProcess = 'controller' | 'api';

/**
 * The time of day that the processes believe in. It moves at once, in every replica and in those that start later; their
 * timers do not, so what is due is done at the next full pass: install the chart with a short FULL_RECONCILE_SECONDS.
 */
export interface ClusterTime extends AsyncDisposable {
  /** What the processes take for now. */
  now(): Date;
  /** Moves it on, or back when negative. */
  round(ms: number): Promise<void>;
  /** From now on the clock of this pod alone is off by so much, whatever the others believe. */
  jump(podName: string, ms: number): Promise<void>;
}

const PRELOAD = resolve(import.meta.dirname, 'pods/offset-date.ts');

const setEnv = async (
  cluster: Cluster,
  processes: readonly ClockedProcess[],
  env: readonly string[],
): Promise<void> => {
  const deployments = processes.map((name) => `deployment/zipjobs-${name}`);
  const namespace = ['-n', RELEASE_NAMESPACE];
  await cluster.kubectl(['set', 'env', ...namespace, ...deployments, ...env]);
  for (const deployment of deployments)
    await cluster.kubectl(['rollout', 'status', ...namespace, deployment, '--timeout=120s']);
};

/** Restarts the processes of the installed chart on a clock that the test moves; disposing of it puts the real one back. */
export const startClusterTime = async (
  cluster: Cluster,
  processes: readonly ClockedProcess[] = ['controller'],
): Promise<ClusterTime> => {
  const dir = join(cluster.dir, 'test-clock');
  await mkdir(dir, { recursive: true });
  let aheadMs = 0;
  /** In one step: a file that is half written would be another time. */
  const write = async (name: string, ms: number): Promise<void> => {
    await writeFile(join(dir, `.${name}`), String(ms));
    await rename(join(dir, `.${name}`), join(dir, name));
  };
  await write('all', 0);
  await setEnv(cluster, processes, [`NODE_OPTIONS=--import=${PRELOAD}`, `TEST_CLOCK_DIR=${dir}`]);
  return {
    now: () => new Date(Date.now() + aheadMs),
    round: async (ms) => {
      aheadMs += ms;
      await write('all', aheadMs);
    },
    jump: write,
    [Symbol.asyncDispose]: async () => {
      await setEnv(cluster, processes, ['NODE_OPTIONS-', 'TEST_CLOCK_DIR-']);
      await rm(dir, { recursive: true, force: true });
    },
  };
};
