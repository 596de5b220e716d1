import { expect } from 'chai';
import { KeyQueue } from '#controller/queue/key-queue.ts';
import type { SlotRequest } from '#controller/queue/queue-order.ts';
import { WaitingQueue } from '#controller/queue/queue-state.ts';
import { createRandom } from '#test/support/random.ts';
import { sized } from '#test/support/sized.ts';

/** `onCompare` is called for every comparison with another request. */
function requestOf(n: number, onCompare: () => void = () => undefined): SlotRequest {
  const text = String(n).padStart(7, '0');
  return {
    key: `a/${n}`,
    uid: `${n}`,
    project: 'a',
    bucket: 'a/b',
    target: 't',
    objectKey: 'k',
    isLimited: true,
    get order() {
      onCompare();
      return text;
    },
  };
}

const COUNT = sized(5_000, 50_000);
/** In an order that is neither that of the ages nor its reverse. */
function shuffled(n: number): number {
  return (n * 7919) % COUNT;
}

for (const [name, createQueue] of [
  ['WaitingQueue', () => new WaitingQueue()],
  ['KeyQueue', () => new KeyQueue('a')],
] as const) {
  function first(queue: WaitingQueue | KeyQueue): SlotRequest | undefined {
    return queue instanceof KeyQueue ? queue.next() : queue.first();
  }

  describe(name, () => {
    it('returns the oldest request, whatever is added and removed (G4)', () => {
      const random = createRandom(61);
      const queue = createQueue();
      let waiting: SlotRequest[] = [];
      for (let step = 0; step < 4000; step += 1) {
        if (waiting.length === 0 || random.next() < 0.55) {
          const request = requestOf(step * 1000 + random.int(0, 900));
          waiting.push(request);
          queue.add(request);
        } else {
          const request = random.next() < 0.5 ? first(queue) : random.pick(waiting);
          waiting = waiting.filter((one) => one !== request);
          if (request) queue.remove(request);
        }
        const [oldest] = waiting.toSorted((one, other) => (one.order < other.order ? -1 : 1));
        expect(first(queue), `step ${step}`).to.equal(oldest);
      }
    });

    it(`needs few comparisons for each of ${COUNT} requests, in any order (G4) (N31)`, () => {
      for (const position of [(n: number) => n, (n: number) => COUNT - n, shuffled]) {
        let compared = 0;
        const queue = createQueue();
        for (let n = 0; n < COUNT; n += 1)
          queue.add(
            requestOf(position(n), () => {
              compared += 1;
            }),
          );
        const order: string[] = [];
        for (let request = first(queue); request; request = first(queue)) {
          queue.remove(request);
          order.push(request.key);
        }
        expect(order).to.have.lengthOf(COUNT);
        expect(order).to.deep.equal(
          order.toSorted((one, other) => Number(one.slice(2)) - Number(other.slice(2))),
        );
        expect(compared / COUNT, 'comparisons').to.be.below(10 * Math.log2(COUNT));
      }
    });
  });
}

describe('KeyQueue', () => {
  it('names the request before any other', () => {
    const queue = new KeyQueue('a');
    const requests = [3, 1, 2].map((n) => requestOf(n));
    for (const request of requests) queue.add(request);
    expect(requests.map((request) => queue.before(request))).to.deep.equal(['a/2', undefined, 'a/1']);
    const [, oldest] = requests;
    if (oldest) queue.activate(oldest);
    expect(requests.map((request) => queue.before(request))).to.deep.equal(['a/2', undefined, 'a/1']);
    expect(queue.next()).to.equal(undefined);
  });
});
