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

/** IDs of the containers with all of these labels, without those that hold the namespaces of pods. */
async function containersWith(labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const wanted = { 'io.cri-containerd.kind': 'container', ...labels };
  const filter = Object.entries(wanted).map(([name, value]) => `labels."${name}"==${value}`);
  return (await ctr('containers', 'ls', '-q', filter.join(','))).split('\n').filter((id) => id !== '');
}

/** Kills the process of a container of a pod. */
export async function killContainer(pod: string, container: string): Promise<void> {
  const labels = { 'io.kubernetes.pod.name': pod, 'io.kubernetes.container.name': container };
  for (const id of await containersWith(labels)) await ctr('tasks', 'kill', '--signal', 'SIGKILL', id);
}

/** The variables, as `NAME=value`, of each running container of a namespace. */
export async function environmentsIn(namespace: string): Promise<readonly (readonly string[])[]> {
  const ids = await runningWith({ 'io.kubernetes.pod.namespace': namespace });
  return Promise.all(
    ids.map(async (id) => {
      const spec = JSON.parse(await ctr('containers', 'info', '--spec', id)) as {
        readonly process: { readonly env: readonly string[] };
      };
      return spec.process.env;
    }),
  );
}

/** IDs of the containers with all of these labels whose process runs. The kubelet removes others at any time. */
async function runningWith(labels: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const running = new Set(
    (await ctr('tasks', 'ls')).split('\n').flatMap((line) => {
      const [id = '', , state] = line.split(/\s+/);
      return state === 'RUNNING' ? [id] : [];
    }),
  );
  return (await containersWith(labels)).filter((id) => running.has(id));
}

/** IDs of the containers of a pod whose process runs. */
export function runningContainers(pod: string): Promise<readonly string[]> {
  return runningWith({ 'io.kubernetes.pod.name': pod });
}
