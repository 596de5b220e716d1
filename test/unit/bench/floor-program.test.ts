import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findFloor } from '#test/bench/floor-program.ts';

describe('the floor of a benchmark', () => {
  it('is left out with one line that names it where Go is missing', async () => {
    await using empty = await mkdtempDisposable(join(tmpdir(), 'zipjobs-floor-'));
    const lines: string[] = [];
    const env = { PATH: empty.path, XDG_CACHE_HOME: empty.path };
    expect(await findFloor((line) => lines.push(line), env)).to.equal(undefined);
    expect(lines).to.have.lengthOf(1);
    expect(lines[0]).to.match(/^Skipping floor: .*Install Go/);
  });
});
