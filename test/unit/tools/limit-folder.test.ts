import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { limitFolder } from '#tools/limit-folder.ts';

describe('a folder of a cache', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'limited-'));
    await writeFile(join(folder, 'layer'), Buffer.alloc(2 * 1024 * 1024, 'x'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function limit(limitMib: number): Promise<readonly string[]> {
    const lines: string[] = [];
    function clear(): Promise<void> {
      return rm(join(folder, 'layer'));
    }
    await limitFolder({ folder, what: 'old layers', limitMib, clear }, (line) => lines.push(line));
    return lines;
  }

  it('remains up to its limit', async () => {
    expect(await limit(100)).to.deep.equal([]);
    expect(await readdir(folder)).to.deep.equal(['layer']);
  });

  it('is cleared above it, with a line that says why', async () => {
    expect((await limit(1)).join('\n')).to.match(
      /^Removing the old layers: they use \d+ MiB, and the limit is 1 MiB$/,
    );
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('may not exist yet', async () => {
    await rm(folder, { recursive: true });
    expect(await limit(1)).to.deep.equal([]);
  });
});
