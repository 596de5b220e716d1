import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens on each host, and accepts nothing until the gate opens. */
const LISTEN = `
const { createServer } = require('node:net');
const { parentPort, workerData } = require('node:worker_threads');
const { hosts, port, gate } = workerData;
let listening = 0;
const block = () => {
  listening += 1;
  if (listening < hosts.length) return;
  parentPort.postMessage('listening');
  Atomics.wait(gate, 0, 0);
};
const respond = (socket) => socket.on('error', () => {}).end('HTTP/1.1 204 No Content\\r\\nconnection: close\\r\\n\\r\\n');
for (const host of hosts) createServer(respond).listen({ host, port, backlog: 1 }, block);
`;

/** After this number of connections a host drops SYNs: Linux keeps one more than the backlog. */
const FULL = 2;

export interface DeafServer extends AsyncDisposable {
  /** Accepts connections from now on: a SYN that was lost is sent again after a second. */
  hear(): void;
}

/** Addresses that do not respond to a SYN, like hosts that are down: nobody accepts their connections, and their queues are full. */
export async function startDeafServer(hosts: readonly string[], port: number): Promise<DeafServer> {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(LISTEN, { eval: true, workerData: { hosts, port, gate } });
  await once(worker, 'message');
  const fillers: Socket[] = [];
  for (const host of hosts)
    for (let count = 0; count < FULL; count += 1) {
      const filler = connect({ host, port }).on('error', () => undefined);
      await once(filler, 'connect');
      fillers.push(filler);
    }
  return {
    hear: () => {
      Atomics.store(gate, 0, 1);
      Atomics.notify(gate, 0);
    },
    [Symbol.asyncDispose]: async () => {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
