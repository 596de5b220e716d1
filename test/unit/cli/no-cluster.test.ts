import { expect } from 'chai';
import { runCommandLine } from '#test/support/processes/command-line.ts';

/** Without a kubeconfig. */
function run(...args: readonly string[]) {
  return runCommandLine({ kubeconfig: '/nonexistent/config' }, args);
}

describe('the command line without a cluster', () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    'job list --phase Fail': /Invalid --phase "Fail"/,
    'job list --newer-than 5': /Invalid --newer-than "5"/,
    'job list --limit -1': /--limit must be an integer/,
    'job list --limit abc': /--limit must be an integer/,
    'job logs x --lines 0': /--lines must be an integer/,
    'job logs x -f -o yaml': /--follow prints lines/,
    'job create --bucket b --key k --id 1 https://example.com/a': /--id must be a UUID/,
    'project create Bad_Name': /Bad_Name/,
    'project create acme --active-jobs 0': /activeJobs|active-jobs/,
    'project update acme --active-jobs x': /--active-jobs must be an integer/,
    'sysdump --max-size 0': /--max-size must be an integer/,
  };
  for (const [command, message] of Object.entries(wrong))
    it(`refuses invalid options first: zipjobs ${command} (Q-C6)`, async () => {
      const { exitCode, stderr } = await run(...command.split(' '));
      expect(stderr).to.match(message);
      expect(exitCode).to.equal(2);
    });

  for (const command of ['job list', 'project list', 'sysdump', 'uninstall --yes', 'bucket test reports'])
    it(`says that there is none: zipjobs ${command} (Q-C6)`, async () => {
      const { exitCode, stderr, stdout } = await run(...command.split(' '));
      expect(stderr).to.match(/kubeconfig/);
      expect([exitCode, stdout]).to.deep.equal([5, '']);
    });

  it('names the kubeconfig that cannot be read, and no variable if it was an option (Q-C10)', async () => {
    const { exitCode, stderr } = await run('project', 'list', '--kubeconfig', '/nope');
    expect([exitCode, stderr]).to.deep.equal([5, 'zipjobs: The kubeconfig /nope cannot be read\n']);
  });
});
