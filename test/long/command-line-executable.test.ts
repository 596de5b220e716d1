/** The command line and Node in one executable file. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bundleCommandLine } from '#scripts/command-line-bundle.ts';
import { buildExecutable } from '#scripts/command-line-executable.ts';

const run = promisify(execFile);

describe('the executable of the command line', function () {
  this.timeout(300_000);
  let dir = '';
  let executable = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-executable-'));
    executable = await buildExecutable((await bundleCommandLine(dir)).file);
  });
  after(() => rm(dir, { recursive: true }));

  it('runs without Node and without other files, and warns about nothing (X30)', async () => {
    expect(await readdir(dir)).to.have.members(['zipjobs', 'zipjobs.cjs', 'THIRD-PARTY-LICENSES']);
    await rm(join(dir, 'zipjobs.cjs'));
    const options = { cwd: '/', env: { PATH: '/nonexistent', HOME: dir } };
    const version = await run(executable, ['--version'], options);
    expect(version.stderr).to.equal('');
    expect(version.stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    const { stdout } = await run(executable, ['--get-yargs-completions', 'zipjobs', 'job', ''], options);
    expect(stdout.split('\n')).to.include('run-again');
    // It reads a kubeconfig, and so loads what is loaded late.
    const failed = await run(executable, ['project', 'list', '--kubeconfig', '/nonexistent'], options).catch(
      (error: { code: number; stderr: string }) => error,
    );
    expect(failed).to.have.property('code', 5);
    expect(failed.stderr).to.contain('The kubeconfig /nonexistent cannot be read');
  });

  it('is kubectl zipjobs by a link, as krew makes one (X30)', async () => {
    const plugin = join(dir, 'kubectl-zipjobs');
    await symlink(executable, plugin);
    const { stdout } = await run(plugin, ['job', '--help']);
    expect(stdout).to.match(/^kubectl zipjobs job\n/);
  });
});
