import { expect } from 'chai';
import { runCommandLine } from '#test/support/processes/command-line.ts';

async function helpOf(...words: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommandLine({ kubeconfig: '/nonexistent' }, [
    ...words,
    '--help',
  ]);
  expect(exitCode, stderr).to.equal(0);
  return stdout;
}

const GROUPS = ['project', 'bucket', 'token', 'webhook', 'job'] as const;

/** The commands that the help of a group lists. */
async function commandsOf(group: string): Promise<readonly string[]> {
  return [...(await helpOf(group)).matchAll(new RegExp(`^ +zipjobs ${group} (\\S+)`, 'gm'))].map(
    ([, command = '']) => command,
  );
}

/** The words for what each group can do; whatever else exists in one group only is in the second list. */
const VERBS = ['list', 'show', 'create', 'update', 'delete', 'test'];
const SPECIAL = [
  'cancel',
  'disable',
  'enable',
  'logs',
  'purge',
  'resend-webhook',
  'rotate',
  'rotate-secret',
  'run-again',
  'update-credentials',
  'wait',
];

describe('the help of the command line', () => {
  it('uses one word for one thing, and keeps the earlier words (Q-C8)', async () => {
    const used = (await Promise.all(GROUPS.map(commandsOf))).flat();
    expect(used.filter((command) => !VERBS.includes(command)).toSorted()).to.deep.equal(SPECIAL);
    for (const [group, verb, ...earlier] of [
      ['job', 'show', 'get'],
      ['job', 'resend-webhook', 'replay-webhook'],
      ['bucket', 'update-credentials', 'set-credentials'],
      ['token', 'delete', 'revoke'],
      ['webhook', 'update', 'set'],
      ['webhook', 'delete', 'remove'],
    ] as const)
      for (const word of earlier) expect(await helpOf(group, word)).to.equal(await helpOf(group, verb));
  });

  it('prints the options of a command before those of all commands (Q-C11)', async () => {
    const paths = (
      await Promise.all(GROUPS.map(async (group) => (await commandsOf(group)).map((one) => [group, one])))
    ).flat();
    let withOptions = 0;
    for (const path of [...paths, ['sysdump'], ['uninstall'], ['version']]) {
      const help = await helpOf(...path);
      const [own, all] = [help.indexOf('\nOptions:\n'), help.indexOf('\nGlobal options:\n')];
      expect(all, path.join(' ')).to.be.greaterThan(own);
      expect(help.indexOf('--version'), path.join(' ')).to.be.greaterThan(all);
      if (own > 0) withOptions += 1;
    }
    expect(withOptions).to.be.greaterThan(20);
  });

  it('leaves out options without a meaning for a command, also in completions (Q-C8)', async () => {
    for (const [path, hidden] of [
      [['uninstall'], ['namespace', 'output']],
      [['sysdump'], ['output']],
      [['version'], ['namespace']],
      [['project', 'create'], ['namespace']],
      [['project', 'update'], ['namespace']],
      [['project', 'delete'], ['namespace']],
      [['project', 'purge'], ['namespace']],
    ] as const) {
      const help = await helpOf(...path);
      const line = ['--get-yargs-completions', 'zipjobs', ...path, '--'];
      const completed = (await runCommandLine({ kubeconfig: '/nonexistent' }, line)).stdout.split('\n');
      for (const option of hidden) {
        expect(help, path.join(' ')).not.to.contain(`--${option}`);
        expect(completed, path.join(' ')).not.to.include.oneOf([`--${option}`, `--${option[0]}`]);
      }
      expect(completed).to.include('--kubeconfig');
    }
    expect(await helpOf('sysdump')).to.match(/--namespace +Only the project of this namespace/);
  });
});
