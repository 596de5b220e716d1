/** Simulates days for our processes, which makes retries of webhooks and clock jumps testable. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { RELEASE_NAMESPACE } from './installation.ts';

export type ClockedProcess = 'controller' | 'api';

/**
 * The time of day of the processes. It changes immediately, in every replica and in those that start later.
 * Timers do not follow, so what is due runs at the next full reconcile: install the chart with a short
 * FULL_RECONCILE_SECONDS.
 */
export interface ClusterTime extends AsyncDisposable {
  /** The current time of the processes. */
  now(): Date;
  /** Moves it forward, or backward if negative. */
  round(ms: number): Promise<void>;
  /** From now on the clock of this pod is off by this much, regardless of the others. */
  jump(podName: string, ms: number): Promise<void>;
  /** The environment of a process outside the chart that has this clock. */
  readonly env: Readonly<Record<string, string>>;
}

const PRELOAD = resolve(import.meta.dirname, 'pods/offset-date.ts');

async function setEnv(
  cluster: Cluster,
  processes: readonly ClockedProcess[],
  env: readonly string[],
): Promise<void> {
  if (processes.length === 0) return;
  const deployments = processes.map((name) => `deployment/zipjobs-${name}`);
  const namespace = ['-n', RELEASE_NAMESPACE];
  await cluster.kubectl(['set', 'env', ...namespace, ...deployments, ...env]);
  for (const deployment of deployments)
    await cluster.kubectl(['rollout', 'status', ...namespace, deployment, '--timeout=300s']);
}

/**
 * Restarts these processes of the installed chart with a clock that the test controls; disposing of it restores
 * the real clock.
 */
export async function startClusterTime(
  cluster: Cluster,
  processes: readonly ClockedProcess[] = ['controller'],
): Promise<ClusterTime> {
  const dir = join(cluster.dir, 'test-clock');
  await mkdir(dir, { recursive: true });
  let aheadMs = 0;
  /** Renamed into place, because a half-written file would be a wrong time. */
  async function write(name: string, ms: number): Promise<void> {
    await writeFile(join(dir, `.${name}`), String(ms));
    await rename(join(dir, `.${name}`), join(dir, name));
  }
  await write('all', 0);
  const env = { NODE_OPTIONS: `--import=${PRELOAD}`, TEST_CLOCK_DIR: dir };
  await setEnv(
    cluster,
    processes,
    Object.entries(env).map(([name, value]) => `${name}=${value}`),
  );
  return {
    env,
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
}
