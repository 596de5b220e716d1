import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { asCalled, COMMANDS, programName } from '#cli/program-name.ts';
import { createCommandLineProgram } from '#cli/wiring.ts';

async function runAsPlugin(...args: readonly string[]): Promise<string> {
  const output = new PassThrough();
  const run = createCommandLineProgram({
    env: { HOME: '/nonexistent' },
    cwd: '/',
    input: new PassThrough(),
    output,
    errors: output,
    signal: new AbortController().signal,
    name: 'kubectl zipjobs',
  });
  await run(args);
  output.end();
  return text(output);
}

describe('the name of the program', () => {
  it('is kubectl zipjobs if the file is the one that kubectl starts (X30)', () => {
    for (const file of ['/home/me/.krew/bin/kubectl-zipjobs', 'kubectl-zipjobs.cjs', 'kubectl-zipjobs.exe'])
      expect(programName(file)).to.equal('kubectl zipjobs');
    for (const file of ['/usr/local/bin/zipjobs', 'zipjobs.cjs', '/app/cli/main.ts', undefined])
      expect(programName(file)).to.equal('zipjobs');
  });

  it('is in help, errors and hints (X30)', async () => {
    expect(await runAsPlugin('token', '--help')).to.match(
      /^kubectl zipjobs token\n[^]*^ {2}kubectl zipjobs token list/m,
    );
    expect(await runAsPlugin('tokens')).to.equal(
      'kubectl zipjobs: Unknown command "tokens". Did you mean token? See: kubectl zipjobs --help\n',
    );
    expect(await runAsPlugin('token', 'show', 'AKIAIOSFODNN7EXAMPLE')).to.contain(
      '(kubectl zipjobs token list)',
    );
  });

  it('is in the hint of every command, and in no other text (X30)', async () => {
    const help = await runAsPlugin('--help');
    const commands = [...help.matchAll(/^ {2}kubectl zipjobs (\w+)/gm)].map(([, name]) => name);
    expect(COMMANDS.split('|')).to.have.members(commands);
    expect(asCalled('To find causes: zipjobs doctor', 'kubectl zipjobs')).to.contain(
      ': kubectl zipjobs doctor',
    );
    expect(asCalled('a zipjobs dashboard', 'kubectl zipjobs')).to.equal('a zipjobs dashboard');
  });

  it('makes the completion of kubectl the default (X30)', async () => {
    expect(await runAsPlugin('completion')).to.match(/^#!\/bin\/sh\n# Completion of kubectl zipjobs/);
  });
});
