import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { DeliveryResponse } from '#controller/webhook/dispatcher.ts';
import { createWebhookDispatcher } from '#controller/webhook/dispatcher.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const RESPONSE: DeliveryResponse = { delivery: { at: '2026-05-04T12:00:00Z', durationMs: 1, status: 200 } };
const SLOW_MS = 1000;

interface Limits {
  readonly concurrency: number;
  readonly concurrencyPerEndpoint: number;
  readonly concurrencyPerProject?: number;
}

function setUp(limits: Limits) {
  const stop = new AbortController();
  const clock = createManualClock();
  const responded: string[] = [];
  const failed: string[] = [];
  const started: string[] = [];
  const unwanted = new Set<string>();
  const release = new Map<string, (respond: DeliveryResponse | Error) => void>();
  const dispatcher = createWebhookDispatcher({
    concurrencyPerProject: 100,
    ...limits,
    slowAfterMs: SLOW_MS,
    clock,
    signal: stop.signal,
    onResponse: (key) => responded.push(key),
    onError: (key) => failed.push(key),
  });
  /** The first letter of a key is its endpoint. Those with a capital letter belong to a project of their own. */
  function submit(...keys: readonly string[]): void {
    for (const key of keys)
      dispatcher.submit({
        key,
        name: DEFAULT_ENDPOINT,
        attemptId: `attempt of ${key}`,
        project: /^[A-Z]/.test(key) ? 'other' : 'project',
        endpoint: key.slice(0, 1),
        isWanted: () => !unwanted.has(key),
        send: () =>
          new Promise((resolve, reject) => {
            started.push(key);
            release.set(key, (respond) => {
              if (respond instanceof Error) reject(respond);
              else resolve(respond);
            });
          }),
      });
  }
  async function respond(key: string, how: DeliveryResponse | Error = RESPONSE): Promise<void> {
    release.get(key)?.(how);
    await turn();
  }
  /** The receiver responds, and the result is recorded in the status. */
  async function finish(key: string): Promise<void> {
    await respond(key);
    dispatcher.acknowledge(key);
  }
  return { dispatcher, submit, unwanted, responded, failed, started, respond, finish, stop, clock };
}

describe('createWebhookDispatcher', () => {
  it('gives an endpoint one slot until it has responded, then its full share', async () => {
    const { submit, started, finish } = setUp({ concurrency: 9, concurrencyPerEndpoint: 2 });
    submit('a1', 'a2', 'a3', 'a4', 'b1');
    expect(started).to.deep.equal(['a1', 'b1']);
    await finish('a1');
    expect(started).to.deep.equal(['a1', 'b1', 'a2', 'a3']);
  });

  it('delivers to other endpoints while any number of receivers never respond (W17)', async () => {
    const { submit, started, finish, clock } = setUp({ concurrency: 3, concurrencyPerEndpoint: 2 });
    const stuck = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    submit(...stuck.flatMap((name) => [`${name}1`, `${name}2`]), 'z1', 'z2');
    expect(started).to.deep.equal(['a1', 'b1', 'c1']);
    await clock.advance(SLOW_MS);
    expect(started).to.deep.equal(['a1', 'b1', 'c1', 'd1', 'e1', 'f1']);
    await clock.advance(SLOW_MS);
    expect(started.slice(6)).to.deep.equal(['g1', 'z1']);
    await finish('z1');
    expect(started.slice(8), 'the stuck ones get no second place').to.deep.equal(['z2']);
  });

  it('limits each slow endpoint to one slot of the slow pool until it responds in time', async () => {
    const { submit, started, finish, clock } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a1', 'b1');
    await clock.advance(SLOW_MS);
    await finish('a1');
    await finish('b1');
    submit('a2', 'a3', 'b2', 'b3', 'z1');
    // The slow pool has half as many slots as the pool: one for two.
    expect(started.slice(2)).to.deep.equal(['a2', 'z1']);
    await finish('a2');
    expect(started.slice(4), 'a is quick again').to.have.members(['a3', 'b2']);
  });

  it('serves projects round-robin, however many endpoints one of them has (N5)', async () => {
    const { submit, started, finish } = setUp({ concurrency: 1, concurrencyPerEndpoint: 1 });
    submit('a1', 'b1', 'c1', 'd1', 'A1', 'B1');
    for (const key of ['a1', 'b1', 'A1', 'c1', 'B1', 'd1']) await finish(key);
    expect(started).to.deep.equal(['a1', 'b1', 'A1', 'c1', 'B1', 'd1']);
  });

  it('leaves room for other projects however many endpoints of one never respond (N5)', async () => {
    const { submit, started, finish, clock } = setUp({
      concurrency: 4,
      concurrencyPerEndpoint: 1,
      concurrencyPerProject: 2,
    });
    submit('a1', 'b1', 'c1', 'd1', 'e1');
    await clock.advance(SLOW_MS);
    await clock.advance(SLOW_MS);
    expect(started, 'slow deliveries count against the project').to.deep.equal(['a1', 'b1']);
    submit('A1', 'B1');
    expect(started.slice(2)).to.deep.equal(['A1', 'B1']);
    await finish('a1');
    expect(started.slice(4)).to.deep.equal(['c1']);
  });

  it('gives the slow endpoints of a project half of its deliveries (N5)', async () => {
    const { submit, started, finish, clock } = setUp({
      concurrency: 100,
      concurrencyPerEndpoint: 1,
      concurrencyPerProject: 4,
    });
    const slow = ['a', 'b', 'c'];
    submit(...slow.map((name) => `${name}1`));
    await clock.advance(SLOW_MS);
    for (const name of slow) await finish(`${name}1`);
    submit(...slow.map((name) => `${name}2`), 'x1', 'y1', 'z1');
    expect(started.slice(3)).to.deep.equal(['a2', 'b2', 'x1', 'y1']);
    await finish('a2');
    expect(started.slice(7)).to.deep.equal(['c2']);
  });

  it('gives each project one slow delivery, even if deliveries of other projects never end (W17)', async () => {
    const { submit, started, finish, clock } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('A1');
    await clock.advance(SLOW_MS);
    await finish('A1');
    submit('a1', 'b1');
    await clock.advance(SLOW_MS);
    submit('A2', 'A3');
    expect(started).to.deep.equal(['A1', 'a1', 'b1', 'A2']);
  });

  it('serves endpoints round-robin', async () => {
    const { submit, started, finish } = setUp({ concurrency: 1, concurrencyPerEndpoint: 1 });
    submit('a1', 'a2', 'a3', 'b1', 'c1');
    for (const key of ['a1', 'b1', 'a2', 'c1', 'a3']) await finish(key);
    expect(started).to.deep.equal(['a1', 'b1', 'a2', 'c1', 'a3']);
  });

  it('keeps a result until it is in the status, and does not send the key again meanwhile', async () => {
    const { dispatcher, submit, started, respond } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a', 'a');
    expect(started).to.deep.equal(['a']);
    expect(dispatcher.state('a', 'attempt of a')).to.deep.equal({ kind: 'inFlight' });
    await respond('a');
    expect(dispatcher.state('a', 'attempt of a')).to.deep.equal({ kind: 'responded', response: RESPONSE });
    dispatcher.acknowledge('a');
    expect(dispatcher.state('a', 'attempt of a')).to.deep.equal({ kind: 'idle' });
  });

  it('drops the result of an acknowledged attempt, and sends the next one', async () => {
    const { dispatcher, submit, started, respond } = setUp({ concurrency: 2, concurrencyPerEndpoint: 1 });
    submit('a');
    await respond('a');
    // The status write succeeded although its response was lost.
    for (const _question of [1, 2])
      expect(dispatcher.state('a', 'a later attempt')).to.deep.equal({ kind: 'stale' });
    dispatcher.acknowledge('a');
    submit('a');
    expect(started).to.deep.equal(['a', 'a']);
  });

  it('sends an endpoint at most its share of deliveries until the results are recorded (W16)', async () => {
    const { dispatcher, submit, started, respond, finish } = setUp({
      concurrency: 9,
      concurrencyPerEndpoint: 2,
    });
    submit('a1', 'a2', 'a3', 'a4');
    await finish('a1');
    await respond('a2');
    await respond('a3');
    expect(started).to.deep.equal(['a1', 'a2', 'a3']);
    dispatcher.acknowledge('a2');
    expect(started).to.deep.equal(['a1', 'a2', 'a3', 'a4']);
  });

  it('checks whether a delivery is still wanted before it sends it (W9)', async () => {
    const { dispatcher, submit, unwanted, started, responded, finish } = setUp({
      concurrency: 9,
      concurrencyPerEndpoint: 1,
    });
    submit('a1', 'a2', 'a3');
    unwanted.add('a2').add('a3');
    await finish('a1');
    expect(started).to.deep.equal(['a1']);
    expect(responded).to.deep.equal(['a1', 'a2', 'a3']);
    expect(dispatcher.state('a2', 'attempt of a2')).to.deep.equal({ kind: 'idle' });
    submit('a4');
    expect(started).to.deep.equal(['a1', 'a4']);
  });

  it('reports and drops a delivery that could not be attempted', async () => {
    const { dispatcher, submit, failed, respond } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a');
    await respond('a', new Error('no key'));
    expect(failed).to.deep.equal(['a']);
    expect(dispatcher.state('a', 'attempt of a')).to.deep.equal({ kind: 'idle' });
    expect(dispatcher.waiting).to.equal(0);
  });

  it('does not report or count deliveries that a shutdown interrupts', async () => {
    const { submit, responded, respond, stop } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a');
    stop.abort();
    await respond('a');
    expect(responded).to.deep.equal([]);
  });

  it('has one delivery of a job to each of its endpoints at a time, and drops their results one by one', async () => {
    const { dispatcher } = setUp({ concurrency: 9, concurrencyPerEndpoint: 9 });
    const respond = new Map<string, () => void>();
    function submit(...names: readonly string[]): void {
      for (const name of names)
        dispatcher.submit({
          key: 'job',
          name,
          attemptId: 'one',
          project: 'project',
          endpoint: name,
          isWanted: () => true,
          send: () => new Promise((resolve) => respond.set(name, () => resolve(RESPONSE))),
        });
    }
    submit('default', 'audit', 'audit');
    expect([...respond.keys()]).to.deep.equal(['default', 'audit']);
    respond.get('audit')?.();
    await turn();
    expect(dispatcher.state('job', 'one')).to.deep.equal({ kind: 'inFlight' });
    expect(dispatcher.state('job', 'one', 'audit')).to.include({ kind: 'responded' });
    expect(dispatcher.endpoints('job')).to.deep.equal(['default', 'audit']);
    dispatcher.acknowledge('job', 'audit');
    expect(dispatcher.endpoints('job')).to.deep.equal(['default']);
    respond.get('default')?.();
    await turn();
    dispatcher.acknowledge('job');
    expect(dispatcher.endpoints('job')).to.deep.equal([]);
  });
});
