import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runningContainers } from './containers.ts';
import { cgroupsOfPod } from './pod-memory.ts';

/** Allocates 8 MiB and writes to it, 50 times a second. */
const ALLOCATE = 'const all = []; setInterval(() => all.push(Buffer.alloc(8388608, 1)), 20)';
/** How long the runtime may take to report the end of a container. */
const REPORTED_MS = 20_000;
/** Joins the cgroup. The kernel kills the container first: the kubelet gives it a higher score than other processes have. */
const HOG = 'echo $$ > "$0/cgroup.procs"; exec "$1" -e "$2"';

/**
 * Uses up the memory of the only container of a pod from inside its cgroup, until the kernel has killed its process.
 * @throws Error if the container has no cgroup, or the hog ends first
 */
export async function exhaustMemory(parent: string, pod: { readonly name: string; readonly uid: string }) {
  const [id = ''] = await runningContainers(pod.name);
  const folder = cgroupsOfPod(parent, pod.uid)
    .map((path) => join(path, id))
    .find((path) => existsSync(path));
  if (folder === undefined || id === '') throw new Error(`pod ${pod.name} has no running container`);
  const hog = spawn('sh', ['-ec', HOG, folder, process.execPath, ALLOCATE], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(hog, 'exit');
  let endedAt = Infinity;
  void ended.then(() => {
    endedAt = performance.now();
  });
  try {
    // The runtime kills what is left in the cgroup before it says that the container has ended.
    while ((await runningContainers(pod.name)).includes(id))
      if (performance.now() - endedAt > REPORTED_MS)
        throw new Error(`the process that uses up the memory ended: ${hog.exitCode ?? hog.signalCode}`);
  } finally {
    hog.kill('SIGKILL');
    await ended;
  }
}
