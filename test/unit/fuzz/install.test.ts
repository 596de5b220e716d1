import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

const run = promisify(execFile);
/** The name that the script gives to the current version. */
const NAME = 'echo "fuzz-$( (cat test/fuzz/requirements.txt; python3 --version) | cksum | tr -d " ")"';

describe('the installation of the fuzzer', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'fuzz-install-'));
  });
  afterEach(() => rm(home, { recursive: true }));

  it('keeps the version in use and the one used before it, and removes the others', async function () {
    await requirePrograms(this, ['python3']);
    const cache = join(home, 'zipjobs');
    const current = (await run('sh', ['-c', NAME])).stdout.trim();
    // The current version was used first, so only its use by this run keeps it.
    for (const [index, name] of [current, 'fuzz-1', 'fuzz-2', 'fuzz-3', 'images'].entries()) {
      await mkdir(join(cache, name), { recursive: true });
      await writeFile(join(cache, name, '.complete'), '');
      await utimes(join(cache, name), index, index);
    }
    const env = { ...process.env, XDG_CACHE_HOME: home };
    const { stdout } = await run('sh', ['test/fuzz/install'], { env });
    expect(basename(stdout.trim())).to.equal(current);
    expect(await readdir(cache)).to.have.members([current, 'fuzz-3', 'images']);
  });
});
