import { setTimeout as delay } from 'node:timers/promises';

/** Environment of a process in which runBusyLoop can run code. */
export const inspectedAt = (port: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--inspect=127.0.0.1:${port} --inspect-publish-uid=http`,
});

const openInspector = async (port: number): Promise<WebSocket> => {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { readonly webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  return socket;
};

/**
 * Runs a loop in a process that blocks its event loop, runs the task meanwhile, and waits for the end of the loop.
 * @param port port of the process's inspector
 */
export const duringBusyLoop = async <T>(port: number, ms: number, task: () => Promise<T>): Promise<T> => {
  const socket = await openInspector(port);
  const ended = new Promise((resolve) => {
    socket.addEventListener('message', resolve, { once: true });
  });
  const expression = `for (const end = Date.now() + ${ms}; Date.now() < end; );`;
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
  try {
    const result = await task();
    if ((await Promise.race([ended.then(() => 'ended'), delay(0, 'running')])) === 'ended')
      throw new Error(`the task took longer than the loop of ${ms} ms`);
    await ended;
    return result;
  } finally {
    socket.close();
  }
};
