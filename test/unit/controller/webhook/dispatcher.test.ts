import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { DeliveryAnswer } from '../../../../controller/observation.ts';
import { createWebhookDispatcher } from '../../../../controller/webhook/dispatcher.ts';

const ANSWER: DeliveryAnswer = { delivery: { at: '2026-05-04T12:00:00Z', durationMs: 1, status: 200 } };

const setUp = (limits: { concurrency: number; concurrencyPerEndpoint: number }) => {
  const stop = new AbortController();
  const answered: string[] = [];
  const failed: string[] = [];
  const started: string[] = [];
  const release = new Map<string, (answer: DeliveryAnswer | Error) => void>();
  const dispatcher = createWebhookDispatcher({
    ...limits,
    signal: stop.signal,
    onAnswer: (key) => answered.push(key),
    onError: (key) => failed.push(key),
  });
  const submit = (key: string, endpoint: string): void => {
    dispatcher.submit({
      key,
      deliveryId: `id-${key}`,
      endpoint,
      send: () =>
        new Promise((resolve, reject) => {
          started.push(key);
          release.set(key, (answer) => {
            if (answer instanceof Error) reject(answer);
            else resolve(answer);
          });
        }),
    });
  };
  return { dispatcher, submit, answered, failed, started, release, stop };
};

describe('createWebhookDispatcher', () => {
  it('keeps a receiver that never answers from holding up others (W17)', async () => {
    const { submit, started, answered, release } = setUp({ concurrency: 3, concurrencyPerEndpoint: 2 });
    for (const key of ['a1', 'a2', 'a3', 'b1']) submit(key, key.slice(0, 1));
    expect(started).to.deep.equal(['a1', 'a2', 'b1']);
    release.get('b1')?.(ANSWER);
    await turn();
    expect(answered).to.deep.equal(['b1']);
    expect(started).to.not.include('a3');
    release.get('a1')?.(ANSWER);
    await turn();
    expect(started).to.deep.equal(['a1', 'a2', 'b1', 'a3']);
  });

  it('lets endpoints take turns', async () => {
    const { submit, started, release } = setUp({ concurrency: 1, concurrencyPerEndpoint: 1 });
    for (const key of ['a1', 'a2', 'a3', 'b1', 'c1']) submit(key, key.slice(0, 1));
    for (const key of ['a1', 'a2', 'b1', 'c1']) {
      release.get(key)?.(ANSWER);
      await turn();
    }
    expect(started.slice(0, 4)).to.include.members(['b1', 'c1']);
  });

  it('keeps an answer until it stands in the status, and sends a key only once meanwhile', async () => {
    const { dispatcher, submit, started, release } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a', 'e');
    submit('a', 'e');
    expect(started).to.deep.equal(['a']);
    expect(dispatcher.state('a', 'id-a')).to.deep.equal({ kind: 'inFlight' });
    release.get('a')?.(ANSWER);
    await turn();
    expect(dispatcher.state('a', 'id-a')).to.deep.equal({ kind: 'answered', answer: ANSWER });
    expect(dispatcher.state('a', 'id-of-a-later-one')).to.deep.equal({ kind: 'idle' });
    dispatcher.settle('a');
    expect(dispatcher.state('a', 'id-a')).to.deep.equal({ kind: 'idle' });
  });

  it('tells of a delivery that could not be tried, and forgets it', async () => {
    const { dispatcher, submit, failed, release } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a', 'e');
    release.get('a')?.(new Error('no key'));
    await turn();
    expect(failed).to.deep.equal(['a']);
    expect(dispatcher.state('a', 'id-a')).to.deep.equal({ kind: 'idle' });
  });

  it('says nothing of deliveries that a shutdown broke off: they are not counted', async () => {
    const { submit, answered, release, stop } = setUp({ concurrency: 2, concurrencyPerEndpoint: 2 });
    submit('a', 'e');
    stop.abort();
    release.get('a')?.(ANSWER);
    await turn();
    expect(answered).to.deep.equal([]);
  });
});
