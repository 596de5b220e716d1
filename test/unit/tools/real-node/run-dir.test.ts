import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { openRunDir } from '#tools/real-node/run-dir.ts';

/** Linux has no process with a greater ID. */
const NO_PROCESS = 4_194_305;

describe('openRunDir', () => {
  it('creates a folder with a place for temporary files, and removes it', async () => {
    let path: string;
    {
      await using dir = await openRunDir();
      path = dir.path;
      expect(dir.name).to.equal(basename(path));
      await writeFile(join(dir.temporary, 'file'), '');
    }
    expect(existsSync(path)).to.equal(false);
  });

  it('removes the folders of runs whose process has ended, and keeps the others', async () => {
    await using running = await openRunDir();
    const abandoned = join(tmpdir(), `zipjobs-node-${NO_PROCESS}-test`);
    await mkdir(join(abandoned, 'tmp'), { recursive: true });
    await using _next = await openRunDir();
    expect([existsSync(abandoned), existsSync(running.path)]).to.deep.equal([false, true]);
  });
});
