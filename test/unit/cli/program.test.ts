import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { parse } from 'yaml';
import {
  AdministrationError,
  type AdministrationErrorCode,
} from '#administration/errors/administration-error.ts';
import { explainKubeError } from '#administration/errors/explain-kube-error.ts';
import { type CommandGroup, NO_COMMAND } from '#cli/command.ts';
import { confirmed } from '#cli/confirm.ts';
import { addProjectCommands } from '#cli/project-commands.ts';
import { ConfigError } from '#runtime/errors.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import { runProgram } from './fake-session.ts';

const VALUE = { name: 'a', set: null, count: 3, list: ['x'] };

function sayCommands(failure?: () => Error): CommandGroup {
  return (parser, run) =>
    parser.command('say', 'Says', (group) =>
      group
        .command(
          'hello [name]',
          'Says hello',
          (args) => args.positional('name', { type: 'string' }).option('loud', { type: 'boolean' }),
          run(async ({ name }, { namespace }) => {
            if (failure) throw failure();
            await Promise.resolve();
            return { value: VALUE, text: `hello ${name} in ${namespace}`, notes: ['and goodbye'] };
          }),
        )
        .command(
          'to <name> <text>',
          'Says something',
          (args) =>
            args
              .positional('name', { type: 'string', demandOption: true })
              .positional('text', { type: 'string', demandOption: true })
              .option('loud', { type: 'boolean', demandOption: true }),
          run(() => Promise.resolve({ value: VALUE, text: '' })),
        )
        .command(
          'bye',
          'Says goodbye',
          (args) => args.option('yes', { type: 'boolean' }),
          run(async (args, session) => {
            await confirmed(session, 'Really?', args);
            return { value: {}, text: 'deleted', exitCode: 1 };
          }),
        )
        .demandCommand(1, NO_COMMAND),
    );
}

function say(...args: readonly string[]) {
  return runProgram({ groups: [sayCommands()] }, args);
}

describe('createProgram', () => {
  it('prints the text to stdout and notes to stderr', async () => {
    expect(await say('say', 'hello', 'you', '-n', 'acme')).to.deep.equal({
      code: 0,
      output: 'hello you in acme\n',
      errors: 'and goodbye\n',
    });
  });

  it('prints the whole value as JSON and as YAML', async () => {
    expect(JSON.parse((await say('say', 'hello', '-o', 'json')).output)).to.deep.equal(VALUE);
    expect(parse((await say('say', 'hello', '-o', 'yaml')).output)).to.deep.equal(VALUE);
  });

  it('prints a value that occurs twice as YAML without anchors (UI29)', async () => {
    const options = {};
    const value = [{ options }, { options, again: options }];
    const commands: CommandGroup = (parser, run) =>
      parser.command(
        'two',
        'Two',
        (args) => args,
        run(() => Promise.resolve({ value, text: '' })),
      );
    const { output } = await runProgram({ groups: [commands] }, ['two', '-o', 'yaml']);
    expect(output).not.to.match(/[&*]a1/);
    expect(parse(output)).to.deep.equal(value);
  });

  it('uses the last value of a repeated option', async () => {
    expect((await say('say', 'hello', '-n', 'a', '-n', 'b')).output).to.contain('in b');
    expect((await say('say', 'hello', '-o', 'json', '-o', 'yaml')).output).to.contain('name: a\n');
  });

  it('exits with the code of the command', async () => {
    expect(await say('say', 'bye', '--yes')).to.include({ code: 1, output: 'deleted\n' });
  });

  const wrong: Readonly<Record<string, readonly [args: readonly string[], message: RegExp]>> = {
    'an unknown command': [
      ['saay'],
      /^zipjobs: Unknown command "saay"\. Did you mean say\? See: zipjobs --help\n$/,
    ],
    'an unknown command after an option': [
      ['-n', 'acme', 'sing'],
      /Unknown command "sing"\. Commands: .*say/,
    ],
    'a command before its group': [['hello', 'say'], /Unknown command "hello"\. Commands: .*say/],
    'an unknown subcommand': [
      ['say', 'helo', '-n', 'acme'],
      /Unknown command "helo"\. Did you mean hello\? See: zipjobs say --help/,
    ],
    'an unknown option': [
      ['say', 'hello', '--loudly'],
      /Unknown option --loudly\. Did you mean --loud\? See: zipjobs say hello --help/,
    ],
    'an unknown option without a command': [['-v'], /Unknown option -v\. See: zipjobs --help/],
    'a missing argument': [['say', 'to'], /Missing <name> <text>\. See: zipjobs say to --help/],
    'one of two missing arguments': [['say', 'to', 'you'], /Missing <text>\. See/],
    'a missing option': [['say', 'to', 'you', 'x'], /Missing --loud\. See/],
    'one argument too many': [['say', 'hello', 'you', 'and'], /Unexpected argument "and"\. See/],
    'an unknown format': [
      ['say', 'hello', '-o', 'xml'],
      /Invalid --output "xml"\. Choices: "table", "json", "yaml"\. See: zipjobs say hello --help/,
    ],
    'an option without its value': [['say', 'hello', '-n'], /Option -n needs a value\. See/],
  };
  for (const [name, [args, message]] of Object.entries(wrong))
    it(`refuses ${name}, suggests a fix and prints nothing else (Q-C4)`, async () => {
      const { code, output, errors } = await say(...args);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.match(message);
    });

  const codes: Readonly<Record<AdministrationErrorCode, number>> = {
    InvalidInput: 2,
    Forbidden: 3,
    Refused: 3,
    AlreadyExists: 3,
    InUse: 3,
    Conflict: 3,
    NotFound: 4,
    Unauthorized: 5,
    Unreachable: 5,
    TimedOut: 6,
    Failed: 1,
  };
  for (const [code, exitCode] of Object.entries(codes) as [AdministrationErrorCode, number][])
    it(`exits with ${exitCode} for ${code}`, async () => {
      function failure() {
        return new AdministrationError('It went wrong', { code });
      }
      expect(await runProgram({ groups: [sayCommands(failure)] }, ['say', 'hello'])).to.deep.equal({
        code: exitCode,
        output: '',
        errors: 'zipjobs: It went wrong\n',
      });
    });

  /** A new code of KubeError does not compile without an exit code. */
  const kubeCodes: Readonly<Record<KubeErrorCode, number>> = {
    NotFound: 4,
    NotServed: 5,
    AlreadyExists: 3,
    Conflict: 3,
    Forbidden: 3,
    Unauthorized: 5,
    Invalid: 2,
    BadRequest: 2,
    TooLarge: 2,
    TooManyRequests: 5,
    Gone: 5,
    QuotaExceeded: 3,
    NamespaceTerminating: 3,
    ServerError: 5,
    Timeout: 5,
    Unreachable: 5,
    InvalidResponse: 5,
  };
  for (const [code, exitCode] of Object.entries(kubeCodes) as [KubeErrorCode, number][])
    it(`exits with ${exitCode} if a call fails with ${code}, explained or not (UI2)`, async () => {
      function failure() {
        return new KubeError('why', { attempt: 'POST /x', code });
      }
      function explained() {
        return explainKubeError({ verb: 'create', resource: 'pods' }, failure());
      }
      for (const thrown of [failure, explained])
        expect((await runProgram({ groups: [sayCommands(thrown)] }, ['say', 'hello'])).code).to.equal(
          exitCode,
        );
    });

  it('exits with 5 without a cluster, 1 for an internal error and 130 when interrupted', async () => {
    function config() {
      return new ConfigError('No cluster is known');
    }
    function own() {
      return new TypeError('x is undefined');
    }
    expect((await runProgram({ groups: [sayCommands(config)] }, ['say', 'hello'])).code).to.equal(5);
    expect((await runProgram({ groups: [sayCommands(own)] }, ['say', 'hello'])).code).to.equal(1);
    const signal = AbortSignal.abort();
    expect(await runProgram({ groups: [sayCommands(own)], signal }, ['say', 'hello'])).to.deep.equal({
      code: 130,
      output: '',
      errors: 'zipjobs: interrupted\n',
    });
  });

  it('prints help at every level, with the exit codes', async () => {
    for (const args of [['--help'], ['say', '--help'], ['say', 'hello', '-h']]) {
      const { code, output, errors } = await say(...args);
      expect({ code, errors }).to.deep.equal({ code: 0, errors: '' });
      expect(output).to.match(/^zipjobs.*\n/);
    }
    expect((await say('--help')).output).to.contain('Exit codes: 0 success');
    expect((await say('--version')).output).to.equal('1.2.3\n');
  });

  for (const args of [[], ['say']])
    it(`prints the help to stderr without a command: zipjobs ${args.join(' ')} (Q-C5)`, async () => {
      const { code, output, errors } = await say(...args);
      expect([code, output]).to.deep.equal([2, '']);
      expect(errors).to.equal((await say(...args, '--help')).output);
    });

  it('prints the help of a command after the word help (Q-C5)', async () => {
    for (const args of [[], ['say'], ['say', 'hello']])
      expect(await say('help', ...args)).to.deep.equal(await say(...args, '--help'));
    expect(await say('help', 'sin')).to.deep.include({ code: 2, output: '' });
    expect((await say('help', 'say', 'helo')).errors).to.contain(
      'Unknown command "helo". Did you mean hello?',
    );
  });

  it('prints a shell completion script and completions', async () => {
    expect((await say('completion')).output).to.contain('complete -o bashdefault');
    const { output } = await say('--get-yargs-completions', 'zipjobs', 'say', '');
    expect(output.trim().split('\n')).to.include.members(['hello', 'bye']);
  });

  it('refuses an argument that looks like a credential, without repeating it', async () => {
    for (const secret of [
      '--secret-access-key=very/secret',
      '--access-key-id=AKIAIOSFODNN7EXAMPLE',
      'AKIAIOSFODNN7EXAMPLE',
      'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      '--note=zj_0123456789012345678901234567890',
      'whsec_c2VjcmV0c2VjcmV0c2VjcmV0',
    ]) {
      const { code, output, errors } = await say('say', 'hello', secret);
      expect({ code, output }).to.deep.equal({ code: 2, output: '' });
      expect(errors).to.contain('--credentials-file').and.not.to.contain(secret.replace(/^.*=/, ''));
    }
  });

  for (const name of [
    'reports.2026-archive-of-the-very-long-name',
    'exports/customers/2026/january/archive01',
    'exports/customers/2026/January/archive01',
    'MonthlyReports/CustomerExports2026Final1',
    'EU/Q1/2026/Sales/Team7/Reports/Weekly001',
    '0123456789abcdef0123456789abcdef01234567',
  ])
    it(`accepts a name that is no credential: ${name} (UI30)`, async () => {
      expect((await say('say', 'hello', name)).code).to.equal(0);
    });

  it('refuses the secrets of AWS, which are 40 random characters (UI30)', async () => {
    const secrets = Array.from({ length: 200 }, () => randomBytes(30).toString('base64'));
    const refused = await Promise.all(
      secrets.map(async (secret) => (await say('say', 'hello', secret)).code),
    );
    expect(refused.filter((code) => code === 2)).to.have.length.of.at.least(195);
  });
});

describe('confirmed', () => {
  function bye(response: boolean | undefined, ...args: readonly string[]) {
    return runProgram(
      {
        groups: [sayCommands()],
        terminal: {
          isInteractive: response !== undefined,
          confirm: () => Promise.resolve(response === true),
        },
      },
      ['say', 'bye', ...args],
    );
  }

  it('prompts the user', async () => {
    expect((await bye(true)).output).to.equal('deleted\n');
    expect(await bye(false)).to.deep.include({ code: 3, output: '' });
  });

  it('requires --yes without a terminal', async () => {
    expect((await bye(undefined, '--yes')).output).to.equal('deleted\n');
    const refused = await bye(undefined);
    expect(refused).to.include({ code: 2, output: '' });
    expect(refused.errors).to.contain('--yes');
  });
});

describe('addProjectCommands', () => {
  it('reports that the cluster is unreachable', async () => {
    const { code, errors } = await runProgram({ groups: [addProjectCommands] }, ['project', 'show', 'acme']);
    expect(code).to.equal(5);
    expect(errors).to.match(/Cannot get zipprojects\.zipjobs\.dev project in namespace acme: no response/);
  });

  it('refuses an invalid name and invalid limits', async () => {
    for (const args of [['Acme'], ['acme', '--active-jobs', '0'], ['acme', '--files-per-job', 'x']]) {
      const { code } = await runProgram({ groups: [addProjectCommands] }, ['project', 'create', ...args]);
      expect(code, args.join(' ')).to.equal(2);
    }
  });
});
