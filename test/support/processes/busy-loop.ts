import { randomUUID } from 'node:crypto';

/** Environment of a process in which runBusyLoop can run code. */
export function inspectedAt(port: number): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`,
  };
}

/** The loop ends by itself after this time, if its test does not end it. */
const LIMIT_MS = 60_000;
/**
 * Outside of the evaluation, during which the inspector would run no other. The message says that this loop has started:
 * a client that enables the runtime also receives the messages of earlier loops. A compiler may read another variable than an atomic
 * one only once.
 */
function startOf(loop: string): string {
  return `globalThis.isOver = new Int32Array(new SharedArrayBuffer(4)); setImmediate((isOver) => {
  console.debug('busy loop', '${loop}');
  for (const end = Date.now() + ${LIMIT_MS}; Atomics.load(isOver, 0) === 0 && Date.now() < end; );
}, globalThis.isOver);`;
}
const END = 'Atomics.store(globalThis.isOver, 0, 1)';

async function openInspector(port: number): Promise<WebSocket> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { readonly webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return socket;
}

/**
 * Runs the task while a loop blocks the event loop of a process, then ends the loop.
 * @param port port of the process's inspector
 */
export async function duringBusyLoop<T>(port: number, task: () => Promise<T>): Promise<T> {
  const socket = await openInspector(port);
  function send(id: number, method: string, params: object = {}): void {
    socket.send(JSON.stringify({ id, method, params }));
  }
  function received(...parts: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        if (parts.every((part) => String(data).includes(part))) resolve();
      });
    });
  }
  const loop = randomUUID();
  const [started, ended] = [received('Runtime.consoleAPICalled', loop), received('"id":3')];
  send(1, 'Runtime.enable');
  send(2, 'Runtime.evaluate', { expression: startOf(loop) });
  try {
    await started;
    return await task();
  } finally {
    send(3, 'Runtime.evaluate', { expression: END });
    await ended;
    socket.close();
  }
}
