import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { newSeed } from '#test/chaos/choose-seeds.ts';
import { git } from '#test/chaos/git.ts';
import { repeatCommand, repeatOnParent } from '#test/chaos/repeat-on-parent.ts';

/** Ends like a run of one schedule with this number of violations. */
function runnerWith(violations: number): string {
  return JSON.stringify({
    scripts: {
      chaos: `node -e "console.log(process.argv.slice(1).join()+'\\n1 schedules, ${violations} violations')" --`,
    },
  });
}

describe('the seeds of the chaos schedules', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'zipjobs-seeds-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  function write(name: string, text: string): Promise<void> {
    return writeFile(join(folder, name), text);
  }
  async function commit(): Promise<void> {
    await git(folder, 'init', '--quiet');
    await git(folder, 'add', '.');
    const user = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
    await git(folder, ...user, 'commit', '--quiet', '--message', 'test');
  }

  it('differ between two commits, and are the same for one', async () => {
    await write('a', '1');
    await commit();
    const first = await newSeed(folder);
    expect(await newSeed(folder)).to.equal(first);
    await write('a', '2');
    await commit();
    expect(await newSeed(folder)).to.not.equal(first);
  });

  it('come from the lock file in a folder without .git', async () => {
    await write('package-lock.json', '1');
    const first = await newSeed(folder);
    await write('package-lock.json', '2');
    expect(await newSeed(folder)).to.not.equal(first);
  });

  for (const [violations, result] of [
    [0, 'holds'],
    [3, 'breaks'],
  ] as const)
    it(`are repeated on the commit before, where ${violations} violations mean that it ${result}`, async () => {
      await write('package.json', runnerWith(violations));
      await commit();
      await write('package.json', runnerWith(7));
      await commit();
      const repetition = await repeatOnParent(folder, 42);
      expect(repetition.result, repetition.output).to.equal(result);
      expect(repetition.output).to.contain('--seed,42,--schedules,1');
      expect(repeatCommand(42)).to.equal('npm run chaos -- --seed 42 --schedules 1');
      expect(await git(folder, 'worktree', 'list')).to.not.contain('\n');
    });

  it('are repeated on the last commit while files have changes', async () => {
    await write('package.json', runnerWith(7));
    await commit();
    await write('package.json', runnerWith(0));
    await commit();
    await write('package.json', runnerWith(9));
    expect((await repeatOnParent(folder, 42)).result).to.equal('holds');
  });

  it('show nothing without a commit before, without a checkout, and if the schedule did not run', async () => {
    expect((await repeatOnParent(folder, 42)).result).to.equal('unknown');
    await write('package.json', JSON.stringify({ scripts: { chaos: 'exit 1' } }));
    await commit();
    expect((await repeatOnParent(folder, 42)).result).to.equal('unknown');
    await write('a', '1');
    await commit();
    expect((await repeatOnParent(folder, 42)).result).to.equal('unknown');
    expect(await readdir(folder)).to.deep.equal(['.git', 'a', 'package.json']);
  });
});
