import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { limitLayers } from '#tools/real-node/limit-layers.ts';

describe('the layers of images that a real node keeps', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'layers-'));
    await writeFile(join(folder, 'layer'), Buffer.alloc(2 * 1024 * 1024, 'x'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const limit = async (mib: number): Promise<readonly string[]> => {
    const lines: string[] = [];
    const clear = (): Promise<void> => rm(join(folder, 'layer'));
    await limitLayers({ folder, clear }, mib, (line) => lines.push(line));
    return lines;
  };

  it('remain up to the limit', async () => {
    expect(await limit(100)).to.deep.equal([]);
    expect(await readdir(folder)).to.deep.equal(['layer']);
  });

  it('are removed above it, with a line that says why', async () => {
    expect((await limit(1)).join('\n')).to.match(/they use \d+ MiB, and the limit is 1 MiB/);
    expect(await readdir(folder)).to.deep.equal([]);
  });
});
