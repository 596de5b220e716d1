import { expect } from 'chai';
import type { SlotRequest } from '#controller/admission/queue-order.ts';
import { WaitingQueue } from '#controller/admission/waiting-queue.ts';
import { createRandom } from '#test/support/random.ts';
import { sized } from '#test/support/sized.ts';

/** `onCompare` is called for every comparison with another request. */
const requestOf = (n: number, target: string, onCompare: () => void = () => undefined): SlotRequest => ({
  key: `a/${n}`,
  uid: `${n}`,
  project: 'a',
  bucket: 'a/b',
  target,
  isLimited: true,
  get order() {
    onCompare();
    return String(n).padStart(7, '0');
  },
});

describe('WaitingQueue', () => {
  it('returns the oldest request with a free target, whatever is added, removed, taken and freed (G4)', () => {
    const numbers = createRandom(61);
    const random = (): number => numbers.next();
    const taken = new Set<string>();
    const queue = new WaitingQueue(({ target }) => !taken.has(target));
    let waiting: SlotRequest[] = [];
    const pick = (): SlotRequest | undefined => waiting[Math.floor(random() * waiting.length)];
    const drop = (request: SlotRequest): void => {
      waiting = waiting.filter((one) => one !== request);
      queue.remove(request);
    };
    for (let step = 0; step < 4000; step += 1) {
      const target = `t${Math.floor(random() * 5)}`;
      const what = random();
      if (what < 0.4) {
        const request = requestOf(Math.floor(random() * 1e6), target);
        waiting.push(request);
        queue.add(request);
      } else if (what < 0.5) {
        const request = pick();
        if (request) drop(request);
      } else if (what < 0.75) {
        const request = queue.first();
        if (request) {
          taken.add(request.target);
          drop(request);
        }
      } else if (taken.delete(target)) queue.freed(target);
      const free = waiting.filter((one) => !taken.has(one.target));
      const oldest = free.reduce<SlotRequest | undefined>(
        (first, one) => (first && first.order <= one.order ? first : one),
        undefined,
      );
      expect(queue.first()?.order, `step ${step}`).to.equal(oldest?.order);
      expect(queue.size).to.equal(waiting.length);
    }
  });

  for (const [what, targetOf] of [
    ['targets of their own', (n: number) => `t${n}`],
    ['one target', () => 't'],
  ] as const)
    it(`needs few comparisons for each of many requests with ${what} (G4)`, () => {
      const COUNT = sized(5_000, 50_000);
      let compared = 0;
      let asked = 0;
      const taken = new Set<string>();
      const queue = new WaitingQueue(({ target }) => {
        asked += 1;
        return !taken.has(target);
      });
      for (let n = 0; n < COUNT; n += 1) {
        queue.add(
          requestOf((n * 7919) % COUNT, targetOf(n), () => {
            compared += 1;
          }),
        );
        queue.first();
        if (n === 0) taken.add('t');
      }
      taken.delete('t');
      queue.freed('t');
      const order: string[] = [];
      for (let request = queue.first(); request; request = queue.first()) {
        taken.add(request.target);
        queue.remove(request);
        order.push(request.key);
        if (queue.first() === request) throw new Error('a removed request is still waiting');
        taken.delete(request.target);
        queue.freed(request.target);
      }
      expect(order).to.have.lengthOf(COUNT);
      expect(order[0]).to.equal('a/0');
      expect(order.at(-1)).to.equal(`a/${COUNT - 1}`);
      expect(compared / COUNT, 'comparisons').to.be.below(16 * Math.log2(COUNT));
      expect(asked / COUNT, 'questions about targets').to.be.below(16);
    });
});
