import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { createWebhookDispatcher, type DeliveryResponse } from '#controller/webhook/dispatcher.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';

const RESPONSE: DeliveryResponse = { delivery: { at: '2026-05-04T12:00:00Z', durationMs: 1, status: 200 } };
/** More than the dispatcher remembers. */
const ENDPOINTS = 10_001;

describe('the endpoints that the dispatcher remembers as slow', () => {
  function setUp() {
    /** What happens to the running deliveries when they take too long. */
    let passLimit: (() => void)[] = [];
    const release = new Map<string, () => void>();
    const dispatcher = createWebhookDispatcher({
      concurrency: 100,
      concurrencyPerEndpoint: 8,
      concurrencyPerProject: 100,
      slowAfterMs: 1_000,
      clock: {
        monotonicMs: () => 0,
        date: () => new Date(0),
        after: (_ms, task) => {
          passLimit.push(task);
          return {
            [Symbol.dispose]: () => {
              passLimit = passLimit.filter((other) => other !== task);
            },
          };
        },
      },
      signal: new AbortController().signal,
      onResponse: () => undefined,
      onError: () => undefined,
    });
    function submit(endpoint: string, key = endpoint): void {
      dispatcher.submit({
        key,
        name: DEFAULT_ENDPOINT,
        attemptId: key,
        project: 'project',
        endpoint,
        isWanted: () => true,
        send: () =>
          new Promise((resolve) => {
            release.set(key, () => resolve(RESPONSE));
          }),
      });
    }
    /** Lets all deliveries that run respond too late. */
    async function respondLate(): Promise<void> {
      for (const pass of passLimit) pass();
      passLimit = [];
      const keys = [...release.keys()];
      for (const end of release.values()) end();
      release.clear();
      await turn();
      for (const key of keys) dispatcher.acknowledge(key);
    }
    return { submit, respondLate, running: () => [...release.keys()] };
  }

  it('are the latest ones, so that a slow receiver is isolated after any number of dead ones (BC13)', async () => {
    const { submit, respondLate, running } = setUp();
    function of(endpoint: string) {
      return Array.from({ length: 8 }, (_, n) => `${endpoint} ${n}`);
    }
    for (let n = 0; n < ENDPOINTS; n += 1) {
      submit(`dead ${n}`);
      await respondLate();
      // Used again and again, so it is never the oldest.
      if (n % 1_000 === 0) {
        submit('regular');
        await respondLate();
      }
    }
    for (const endpoint of ['slow', 'regular']) {
      for (const key of of(endpoint)) submit(endpoint, key);
      await respondLate();
      expect(running(), endpoint).to.deep.equal([`${endpoint} 1`]);
      for (let n = 0; n < 7; n += 1) await respondLate();
    }
  });
});
