import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeOldPrograms } from '#tools/local-cluster/old-programs.ts';

describe('the programs of a local cluster in the cache', () => {
  let cache: string;
  beforeEach(async () => {
    cache = await mkdtemp(join(tmpdir(), 'programs-'));
  });
  afterEach(() => rm(cache, { recursive: true }));

  async function put(version: string, name: string, usedAt: number): Promise<string> {
    const folder = join(cache, version);
    await mkdir(folder);
    await writeFile(join(folder, name), '');
    await utimes(folder, usedAt, usedAt);
    return join(folder, name);
  }

  it('are kept in the two versions that were used last', async () => {
    await put('000000000000000a', 'store', 4);
    await put('000000000000000b', 'store', 1);
    await put('000000000000000c', 'store', 2);
    await put('000000000000000d', 'cluster', 1);
    await put('images', 'store', 1);
    await removeOldPrograms(await put('000000000000000e', 'store', 3));
    expect((await readdir(cache)).sort()).to.deep.equal([
      '000000000000000a',
      '000000000000000d',
      '000000000000000e',
      'images',
    ]);
  });
});
