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

describe('release of memory', () => {
  it('returns what the heap does not use to the operating system (G1)', () => {
    const { before, after } = measured();
    expect(before - after).to.be.greaterThan(10 * MiB);
  });

  it('leaves the function that collects garbage out of reach', () => {
    expect(measured()).to.include({ gc: 'undefined', kept: 100_000 });
  });
});
