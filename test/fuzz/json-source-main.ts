/** The worker thread of json-main.ts that generates bodies, so that this work does not count as delay. */
import { parentPort, workerData } from 'node:worker_threads';
import { createRandom } from '#test/support/random.ts';
import { hostileBody } from './json/hostile-bodies.ts';

const random = createRandom(Number(workerData));
parentPort?.on('message', () => {
  const body = new Uint8Array(hostileBody(random));
  parentPort?.postMessage(body, [body.buffer]);
});
