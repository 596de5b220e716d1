import { expect } from 'chai';
import { FairQueue } from '#runtime/fair/fair-queue.ts';

function queueOf(...items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(item.slice(0, 1), item);
  return queue;
}

function all(queue: FairQueue<string>): readonly string[] {
  const taken: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) taken.push(item);
  return taken;
}

describe('FairQueue', () => {
  it('is first in, first out within a group', () => {
    expect(all(queueOf('a1', 'a2', 'a3'))).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('takes one item of each group before the second of any', () => {
    expect(all(queueOf('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).to.deep.equal([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('puts a returning group behind the present ones', () => {
    const queue = queueOf('a1', 'b1', 'b2', 'c1');
    expect(queue.shift()).to.equal('a1');
    queue.push('a', 'a2');
    expect(all(queue)).to.deep.equal(['b1', 'c1', 'a2', 'b2']);
  });

  it('passes over a group at its limit, which stays the next one', () => {
    const queue = queueOf('a1', 'b1', 'c1', 'a2', 'b2', 'c2');
    expect(queue.shift((group) => group !== 'a')).to.equal('b1');
    expect(all(queue)).to.deep.equal(['a1', 'c1', 'b2', 'a2', 'c2']);
  });

  it('returns nothing while no group is allowed', () => {
    const queue = queueOf('a1', 'a2', 'b1', 'c1');
    expect(queue.shift((group) => group !== 'a')).to.equal('b1');
    expect(queue.shift((group) => group !== 'a')).to.equal('c1');
    expect(queue.shift((group) => group !== 'a')).to.equal(undefined);
    expect(all(queue)).to.deep.equal(['a1', 'a2']);
  });

  it('returns how many items of a group are waiting', () => {
    const queue = queueOf('a1', 'a2', 'b1');
    expect([queue.sizeOf('a'), queue.sizeOf('b'), queue.sizeOf('c')]).to.deep.equal([2, 1, 0]);
    queue.shift();
    queue.shift();
    expect([queue.sizeOf('a'), queue.sizeOf('b')]).to.deep.equal([1, 0]);
  });

  it('is empty after the last item is taken, and accepts items again', () => {
    const queue = queueOf('a1');
    expect(all(queue)).to.deep.equal(['a1']);
    expect(queue.shift()).to.equal(undefined);
    queue.push('a', 'a2');
    expect(all(queue)).to.deep.equal(['a2']);
  });
});
