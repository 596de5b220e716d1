import { expect } from 'chai';
import { LiveHeap } from '#controller/reconciling/heap.ts';

interface Item {
  readonly key: string;
  readonly order: number;
}

function setUp() {
  let compared = 0;
  const heap = new LiveHeap(
    ({ key }: Item) => key,
    (one, other) => {
      compared += 1;
      return one.order < other.order;
    },
  );
  return { heap, compared: () => compared };
}

describe('LiveHeap', () => {
  it('has one item per key, the last that was added, and returns them in order', () => {
    const { heap } = setUp();
    for (const [key, order] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['a', 4],
    ] as const)
      heap.add({ key, order });
    expect([heap.remove('c'), heap.remove('c'), heap.size]).to.deep.equal([true, false, 2]);
    expect(heap.get('a')?.order).to.equal(4);
    const taken = Array.from({ length: 3 }, () => heap.shift()?.key);
    expect(taken).to.deep.equal(['b', 'a', undefined]);
    expect([heap.size, heap.get('a')]).to.deep.equal([0, undefined]);
  });

  it('drops the removed and superseded items of a key that changes often, so that the next one is found at once', () => {
    const { heap, compared } = setUp();
    heap.add({ key: 'last', order: 100_000 });
    for (let order = 0; order < 50_000; order += 1) {
      heap.add({ key: 'a', order });
      if (order % 2 === 0) heap.remove('a');
    }
    heap.remove('a');
    const before = compared();
    expect(heap.first()?.key).to.equal('last');
    expect(compared() - before).to.be.below(1_000);
  });
});
