import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { ctr } from './containers.ts';
import { CONTAINERD_SOCKET } from './node-files.ts';

const SUBSCRIBED_LIMIT_MS = 20_000;
const POLL_MS = 100;
const LABEL = 'zipjobs.test/subscribed';
/** `2026-01-02 03:04:05.678901234 +0000 UTC k8s.io /tasks/start {"container_id":"...",...}` */
const EVENT = /^(\S+) (\S+) \+0000 UTC k8s\.io \/tasks\/(start|exit) (\{.*\})$/;

/** When the processes of containers started and ended, by container ID, in milliseconds since the epoch. */
export interface ContainerTasks extends AsyncDisposable {
  readonly started: ReadonlyMap<string, number>;
  readonly ended: ReadonlyMap<string, number>;
}

/** Records containerd's events from now on. They are more precise than a pod's status, which has whole seconds. */
export async function followContainerTasks(): Promise<ContainerTasks> {
  const started = new Map<string, number>();
  const ended = new Map<string, number>();
  const state = { isSubscribed: false };
  const args = ['--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', 'events'];
  const child = spawn('ctr', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  createInterface({ input: child.stdout }).on('line', (line) => {
    state.isSubscribed = true;
    const [, date, time, kind, json] = EVENT.exec(line) ?? [];
    if (json === undefined) return;
    const { container_id: id } = JSON.parse(json) as { container_id: string };
    (kind === 'start' ? started : ended).set(id, Date.parse(`${date}T${time}Z`));
  });
  const deadline = Date.now() + SUBSCRIBED_LIMIT_MS;
  // The command does not say when it has subscribed, so events are caused until one arrives.
  while (!state.isSubscribed && Date.now() < deadline) {
    await ctr('namespaces', 'label', 'k8s.io', `${LABEL}=${Date.now()}`);
    await delay(POLL_MS);
  }
  if (!state.isSubscribed) throw new Error('containerd sends no events');
  return {
    started,
    ended,
    [Symbol.asyncDispose]: async () => {
      const closed = once(child, 'close');
      child.kill();
      await closed;
    },
  };
}
