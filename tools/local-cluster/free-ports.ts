import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports of Linux, which start at 32768, so that no other connection takes one of these ports before
 * it is used. The start is random, so that concurrent processes rarely try the same ports.
 */
const FIRST = 20_000;
const COUNT = 12_000;

let next = randomInt(COUNT);

/** Ports without a listener. A port is returned again only after all others. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count && tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) ports.push(port);
  }
  if (ports.length < count) throw new Error(`no free port from ${FIRST} to ${FIRST + COUNT - 1}`);
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
