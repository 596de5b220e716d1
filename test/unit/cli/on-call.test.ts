/** The commands of docs/on-call.md. Those with kubectl run in test/long/on-call-commands.test.ts. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { runCommandLine } from '#test/support/processes/command-line.ts';

const USER = { kubeconfig: '/nonexistent' };

function wordsOf(command: string): readonly string[] {
  return command.split(' ').slice(1);
}

/** The command without its arguments, such as `job show`. */
function pathOf(command: string): readonly string[] {
  const words = wordsOf(command);
  const end = words.findIndex((word) => !/^[a-z][a-z-]+$/.test(word));
  return end < 0 ? words : words.slice(0, end);
}

function optionsOf(command: string): readonly string[] {
  return wordsOf(command).filter((word) => /^--?[a-zA-Z]/.test(word));
}

describe('the page for people on call', () => {
  it('starts with zipjobs status and zipjobs doctor, and names only commands and options that exist (Q-O4)', async () => {
    const text = await readFile('docs/on-call.md', 'utf8');
    expect(/```sh\n([^`]+)```/.exec(text)?.[1]).to.equal('zipjobs status\nzipjobs doctor\n');
    const commands = [...text.matchAll(/`(zipjobs [a-z][^`]*)`/g)].map(([, command = '']) => command);
    expect(commands.length).to.be.greaterThan(15);
    for (const command of commands) {
      const { exitCode, stdout, stderr } = await runCommandLine(USER, [...pathOf(command), '--help']);
      expect(exitCode, `${command}: ${stderr}`).to.equal(0);
      for (const option of optionsOf(command)) expect(stdout, command).to.contain(option);
    }
    const questions = text.indexOf('## Questions and the command line');
    expect(questions)
      .to.be.greaterThan(0)
      .and.lessThan(text.indexOf('## Appendix: questions and kubectl commands'));
  });
});
