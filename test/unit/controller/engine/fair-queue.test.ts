import { expect } from 'chai';
import { FairQueue } from '#controller/engine/fair-queue.ts';

const aLine = (...items: readonly string[]): FairQueue<string> => {
  const line = new FairQueue<string>();
  for (const item of items) line.push(item.slice(0, 1), item);
  return line;
};

const all = (line: FairQueue<string>): readonly string[] => {
  const taken: string[] = [];
  for (let item = line.shift(); item !== undefined; item = line.shift()) taken.push(item);
  return taken;
};

describe('FairQueue', () => {
  it('is first in, first out within a group', () => {
    expect(all(aLine('a1', 'a2', 'a3'))).to.deep.equal(['a1', 'a2', 'a3']);
  });

  it('takes one of each group before the second of any', () => {
    expect(all(aLine('a1', 'a2', 'a3', 'b1', 'c1', 'c2'))).to.deep.equal([
      'a1',
      'b1',
      'c1',
      'a2',
      'c2',
      'a3',
    ]);
  });

  it('puts a group that comes back behind those that are there', () => {
    const line = aLine('a1', 'b1', 'b2', 'c1');
    expect(line.shift()).to.equal('a1');
    line.push('a', 'a2');
    expect(all(line)).to.deep.equal(['b1', 'c1', 'a2', 'b2']);
  });

  it('knows how many of a group wait', () => {
    const line = aLine('a1', 'a2', 'b1');
    expect([line.sizeOf('a'), line.sizeOf('b'), line.sizeOf('c')]).to.deep.equal([2, 1, 0]);
    line.shift();
    line.shift();
    expect([line.sizeOf('a'), line.sizeOf('b')]).to.deep.equal([1, 0]);
  });

  it('is empty when all is taken, and can be filled again', () => {
    const line = aLine('a1');
    expect(all(line)).to.deep.equal(['a1']);
    expect(line.shift()).to.equal(undefined);
    line.push('a', 'a2');
    expect(all(line)).to.deep.equal(['a2']);
  });
});
