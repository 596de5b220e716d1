import { expect } from 'chai';
import { addProjectCommands } from '#cli/project-commands.ts';
import { runProgram } from './fake-session.ts';

const update = (...args: readonly string[]) =>
  runProgram({ groups: [addProjectCommands] }, ['project', 'update', ...args]);

describe('zipjobs project update', () => {
  const wrong: Readonly<Record<string, readonly [args: readonly string[], says: RegExp]>> = {
    'no project': [[], /Not enough non-option arguments/],
    'no change': [['acme'], /Say what to change: --display-name, --active-jobs, .*zipjobs webhook --help/],
    'a limit of nothing': [
      ['acme', '--active-jobs', '0'],
      /--active-jobs is a whole number from 1 on, or none/,
    ],
    'a limit that is no number': [['acme', '--files-per-job', 'many'], /--files-per-job is a whole number/],
    'a limit that cannot be stored': [
      ['acme', '--requests-per-minute', '9999999999'],
      /requestsPerMinute is a whole number from 1 to 2147483647, not 9999999999/,
    ],
    'a name that is too long': [
      ['acme', '--display-name', 'x'.repeat(129)],
      /1 to 128 characters; this one has 129/,
    ],
  };
  for (const [name, [args, says]] of Object.entries(wrong))
    it(`refuses ${name} before it asks the cluster, and says what can be given`, async () => {
      const { code, output, errors } = await update(...args);
      expect({ code, output }, errors).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(says);
    });
});
