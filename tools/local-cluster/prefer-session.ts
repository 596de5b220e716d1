import { writeFile } from 'node:fs/promises';

/** Three times the weight of an ordinary session (sched(7)): about one share for each worker of a test run. */
const NICE = '-5';

/**
 * Gives this session more of the processors than each other one. Linux divides them among sessions (sched_autogroup), and each pod and
 * server of a local cluster is a session of its own, while the nodes and proxies of all clusters of a test run are in one: with
 * twenty busy pods it would get a twentieth, and everything would wait for it. Without the right, or on another system, nothing changes.
 */
export async function preferSession(): Promise<void> {
  await writeFile('/proc/self/autogroup', NICE).catch(() => undefined);
}
