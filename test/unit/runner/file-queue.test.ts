import { expect } from 'chai';
import { FileQueue } from '#test/runner/file-queue.ts';

const FILES = [
  { suite: 'unit', file: 'quick' },
  { suite: 'unit', file: 'slow' },
  { suite: 'integration', file: 'cluster' },
  { suite: 'unit', file: 'new' },
];
const SECONDS: Readonly<Record<string, number>> = { quick: 1, slow: 70, cluster: 30 };

function queue(): FileQueue {
  return new FileQueue(FILES, (file) => SECONDS[file]);
}

function takeAll(from: FileQueue, suite: string): string[] {
  const taken: string[] = [];
  for (let file = from.take(suite); file !== undefined; file = from.take(suite)) taken.push(file);
  return taken;
}

describe('FileQueue', () => {
  it('returns the files of one suite, longest first and unmeasured ones early', () => {
    const files = queue();
    expect(takeAll(files, 'unit')).to.deep.equal(['slow', 'new', 'quick']);
    expect(takeAll(files, 'integration')).to.deep.equal(['cluster']);
    expect(files.left).to.equal(0);
  });

  it('contains files even if none takes any time', () => {
    const files = new FileQueue(FILES, () => 0);
    expect(files.has('unit')).to.equal(true);
    takeAll(files, 'unit');
    expect(files.has('unit')).to.equal(false);
    expect(files.has('integration')).to.equal(true);
  });

  it('adds up the remaining seconds of a suite', () => {
    const files = queue();
    files.take('unit');
    expect(files.secondsLeft('unit')).to.equal(61);
    expect(files.secondsLeft('integration')).to.equal(30);
    expect(files.secondsLeft('chaos')).to.equal(0);
  });
});
