import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { type LeveledFile, ReaderLevels } from '#zipper-image/sources/reader-levels.ts';

const TICK_MS = 1;

class File implements LeveledFile {
  readers = 1;
  received = 0;
  hasWork = true;
  readonly levels: number[] = [];
  /** Times that more readers were considered, whatever came of it. */
  considered = 0;

  raise(level: number): void {
    this.considered += 1;
    if (level > this.readers) this.levels.push(level);
    this.readers = Math.max(this.readers, level);
  }
}

describe('ReaderLevels', () => {
  it('gives a file whose slices wait four times as many readers, up to sixteen (P105)', async () => {
    const file = new File();
    using _ = new ReaderLevels(TICK_MS, () => 0).add(file);
    await until('the highest level', async () => file.considered > 4);
    expect(file.levels).to.deep.equal([4, 16]);
  });

  it('leaves a file alone that has no slice to read, or whose readers are fast (P105)', async () => {
    const [idle, fast, other] = [new File(), new File(), new File()];
    idle.hasWork = false;
    const levels = new ReaderLevels(TICK_MS, () => 0);
    using _idle = levels.add(idle);
    // Each tick finds a gigabyte more.
    Object.defineProperty(fast, 'received', { get: () => performance.now() * 1e9 });
    using _fast = levels.add(fast);
    using _other = levels.add(other);
    await until('another file to be considered', async () => other.considered > 8);
    expect([idle.readers, fast.readers]).to.deep.equal([1, 1]);
  });

  it('shares 32 connections among all files (P105)', async () => {
    const files = [new File(), new File(), new File()];
    const levels = new ReaderLevels(TICK_MS, () => 6);
    using stack = new DisposableStack();
    for (const file of files) stack.use(levels.add(file));
    await until('the limit', async () => files.every(({ considered }) => considered > 12));
    expect(files.reduce((sum, { readers }) => sum + readers, 6)).to.equal(32);
  });
});
