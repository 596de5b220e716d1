import { expect } from 'chai';
import { addProjectCommands } from '#cli/project-commands.ts';
import { runProgram } from './fake-session.ts';

const update = (...args: readonly string[]) =>
  runProgram({ groups: [addProjectCommands] }, ['project', 'update', ...args]);

describe('zipjobs project update', () => {
  const wrong: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'no project': [[], /Not enough non-option arguments/],
    'no change': [
      ['acme'],
      /Nothing to change\. Pass at least one of --display-name, --active-jobs, .*zipjobs webhook --help/,
    ],
    'a limit of 0': [
      ['acme', '--active-jobs', '0'],
      /--active-jobs must be an integer of at least 1, or none to remove the limit/,
    ],
    'a limit that is not a number': [
      ['acme', '--files-per-job', 'many'],
      /--files-per-job must be an integer of at least 1/,
    ],
    'a limit above the maximum': [
      ['acme', '--requests-per-minute', '9999999999'],
      /Invalid limit requestsPerMinute: 9999999999\. Use an integer from 1 to 2147483647/,
    ],
    'a name that is too long': [
      ['acme', '--display-name', 'x'.repeat(129)],
      /use 1 to 128 characters, not only spaces \(got 129 characters\)/,
    ],
  };
  for (const [name, [args, message]] of Object.entries(wrong))
    it(`refuses ${name} with a hint, before it sends a request`, async () => {
      const { code, output, errors } = await update(...args);
      expect({ code, output }, errors).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(message);
    });
});
