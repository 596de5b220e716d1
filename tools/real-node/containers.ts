import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CONTAINERD_SOCKET } from './node-files.ts';

const run = promisify(execFile);

/** Runs containerd's command line in the namespace of the kubelet's images and containers. */
export async function ctr(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('ctr', ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...args], {
    maxBuffer: 1 << 26,
  });
  return stdout;
}
