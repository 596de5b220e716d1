import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from '../until.ts';

export interface PortForward extends AsyncDisposable {
  /** Such as http://127.0.0.1:40123. */
  readonly url: string;
}

export interface ForwardTarget {
  readonly namespace: string;
  /** Such as `service/zipjobs-api`. */
  readonly target: string;
  readonly port: number;
}

/** Runs `kubectl port-forward TARGET :PORT` until it is disposed. */
export async function startPortForward(
  cluster: NodelessCluster,
  { namespace, target, port }: ForwardTarget,
): Promise<PortForward> {
  const args = ['port-forward', '-n', namespace, target, `:${port}`];
  const child: ChildProcess = spawn(join(cluster.dir, 'bin/kubectl'), args, {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  function take(chunk: string): void {
    output += chunk;
  }
  child.stdout?.setEncoding('utf8').on('data', take);
  child.stderr?.setEncoding('utf8').on('data', take);
  const url = await until(`kubectl port-forward to ${target}`, () => {
    if (child.exitCode !== null) throw new Error(output);
    const local = /Forwarding from (127\.0\.0\.1:\d+)/.exec(output)?.[1];
    return local !== undefined && `http://${local}`;
  });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}
