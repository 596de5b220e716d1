import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

const MiB = 2 ** 20;

interface Measured {
  /** Resident memory in bytes. */
  readonly before: number;
  readonly after: number;
  readonly kept: number;
  readonly gc: string;
}

/** What a process measures that created many objects and kept one of ten. */
function measured(): Measured {
  const script = `
    import { releaseMemory } from '#runtime/process/release-memory.ts';
    const kept = [];
    for (let n = 0; n < 1_000_000; n += 1) {
      const object = { n, text: String(n).padStart(60) };
      if (n % 10 === 0) kept.push(object);
    }
    const before = process.memoryUsage.rss();
    releaseMemory();
    const after = process.memoryUsage.rss();
    console.log(JSON.stringify({ before, after, kept: kept.length, gc: typeof gc }));
  `;
  const flags = ['--max-semi-space-size=4', '--input-type=module'];
  return JSON.parse(execFileSync(process.execPath, [...flags, '--eval', script], { encoding: 'utf8' }));
}

/** The highest heap, in bytes, of a process whose objects reach the old generation before nobody needs them. */
function highestHeap(limitBytes: number): number {
  const script = `
    import { createGrowthLimit } from '#runtime/process/release-memory.ts';
    const limit = createGrowthLimit(${limitBytes});
    let young = [];
    let highest = 0;
    for (let round = 0; round < 60; round += 1) {
      const older = young;
      young = Array.from({ length: 10_000 }, (_, n) => [n, older[n]?.[0], new Array(8).fill(n)]);
      highest = Math.max(highest, process.memoryUsage().heapUsed);
      limit();
    }
    console.log(highest);
  `;
  const flags = ['--max-semi-space-size=2', '--input-type=module'];
  return Number(execFileSync(process.execPath, [...flags, '--eval', script], { encoding: 'utf8' }));
}

describe('a limit of the growth of the heap', () => {
  it('collects the old generation before V8 does (H10)', () => {
    const limited = highestHeap(8 * MiB);
    expect(highestHeap(1024 * MiB)).to.be.greaterThan(1.5 * limited);
  });
});

describe('release of memory', () => {
  it('returns what the heap does not use to the operating system (G1)', () => {
    const { before, after } = measured();
    expect(before - after).to.be.greaterThan(10 * MiB);
  });

  it('leaves the function that collects garbage out of reach', () => {
    expect(measured()).to.include({ gc: 'undefined', kept: 100_000 });
  });
});
