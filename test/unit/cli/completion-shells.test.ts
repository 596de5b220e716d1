/** The printed scripts in the shells that they are for. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { completionScript, SHELLS } from '#cli/completion-script.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';

const LIMIT_MS = 60_000;
const TYPED = ['zipjobs', 'job', 'list', '--phase', 'F'];

const COMPLETED_SHELLS = SHELLS.filter((shell) => shell !== 'kubectl');

/** Each prints the completions of the typed line. zsh completes only in a terminal: zpty is one. */
const COMMANDS: Readonly<Record<(typeof COMPLETED_SHELLS)[number], (script: string) => readonly string[]>> = {
  bash: (script) => [
    '--norc',
    '-c',
    `source ${script}; COMP_WORDS=(${TYPED.join(' ')}); COMP_CWORD=${TYPED.length - 1}; _zipjobs_completion; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  fish: (script) => ['--no-config', '-c', `source ${script}; complete -C '${TYPED.join(' ')}'`],
  zsh: (script) => [
    '-f',
    '-c',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     zpty -w shell 'autoload -Uz compinit; compinit -u -D; source ${script}'
     zpty -w -n shell $'${TYPED.join(' ')}\\t'
     zpty -r shell out '*Finalizing*'
     print -r -- $out`,
  ],
};

describe('the completion script', function () {
  this.timeout(LIMIT_MS);
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'completion-'));
  });
  after(() => rm(dir, { recursive: true }));

  for (const shell of COMPLETED_SHELLS)
    it(`completes the values of an option in ${shell} (Q-C7)`, async function () {
      await requirePrograms(this, [shell]);
      const script = join(dir, shell);
      await writeFile(script, completionScript(shell));
      const env = {
        PATH: `${resolve('cli')}:${resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
        HOME: dir,
        TERM: 'dumb',
      };
      const { stdout } = await promisify(execFile)(shell, COMMANDS[shell](script), {
        env,
        timeout: LIMIT_MS,
      });
      expect(stdout).to.contain('Failed').and.contain('Finalizing').and.not.contain('Running');
    });

  it('completes for kubectl, which runs kubectl_complete-zipjobs and reads its last line as a directive (X30)', async () => {
    const script = join(dir, 'kubectl_complete-zipjobs');
    await writeFile(script, completionScript('kubectl'));
    await chmod(script, 0o755);
    await symlink(resolve('cli/zipjobs'), join(dir, 'kubectl-zipjobs'));
    const env = { PATH: `${dir}:${process.env['PATH'] ?? ''}`, HOME: dir };
    // kubectl passes the words after `zipjobs`, with the one that is being typed.
    const { stdout } = await promisify(execFile)(script, ['job', ''], { env, timeout: LIMIT_MS });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).to.equal(':0');
    expect(lines).to.include('list\tList jobs');
  });
});
