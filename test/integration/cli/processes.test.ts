/** The prompts of the command line at a terminal, and its errors when standard input is a pipe. */
import { expect } from 'chai';
import { CONTROL_C, ENTER, type PseudoTerminal } from '#test/support/processes/pseudo-terminal.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import {
  type CommandLineWorld,
  NO_CREDENTIALS,
  startOwnProject,
  UNCONFIRMED,
} from '#test/support/worlds/command-line-world.ts';

const BUCKET = 'cli-prompts';

describe('the command line at a terminal', function () {
  this.timeout(300_000);
  let world: CommandLineWorld;
  const life = new AsyncDisposableStack();
  before(async function () {
    await requirePrograms(this, ['python3']);
    world = life.use(await startOwnProject('cli-prompts'));
    await world.flow.cluster.createBucket(BUCKET);
  });
  after(() => life.disposeAsync());

  /** The stored objects of the bucket: the ZipBucket and its credentials. */
  const storedFor = async (bucket: string): Promise<readonly string[]> => {
    const names = await world.kubectl('get', 'secrets,zipbuckets', '-o', 'name');
    return names.split('\n').filter((name) => name.endsWith(bucket));
  };
  /** The process ends like an interrupted program and restores the terminal. */
  const expectInterrupted = async (terminal: PseudoTerminal): Promise<void> => {
    expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 130, echo: true });
    expect(terminal.screen.trimEnd().split(/\r?\n/).at(-1)).to.equal('zipjobs: interrupted');
  };

  it('asks for credentials without echoing what is typed (H9)', async () => {
    const { accessKeyId, secretAccessKey } = world.flow.cluster.store;
    await using terminal = world.owner.atTerminal(world.newBucket(BUCKET));
    await terminal.respond('Access key ID', accessKeyId + ENTER);
    await terminal.respond('Secret access key', secretAccessKey + ENTER);
    expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 0, echo: true });
    expect(terminal.screen).to.match(/Bucket: +cli-prompts\r?\n/);
    // Not even a part of it, which an echoing terminal would print key by key.
    for (const typed of [accessKeyId, secretAccessKey])
      expect(terminal.screen).not.to.contain(typed.slice(0, 6)).and.not.contain(typed.slice(-6));
    await world.owner.succeed(world.inOwn('bucket', 'test', BUCKET));
  });

  for (const [where, typed] of [
    ['the first prompt', []],
    ['the second prompt', ['AKIAOFNOBODY']],
  ] as const)
    it(`ends with exit code 130 at Control-C in ${where}, and leaves nothing behind`, async () => {
      await using terminal = world.owner.atTerminal(world.newBucket('given-up'));
      for (const value of typed) await terminal.respond('Access key ID', value + ENTER);
      await terminal.respond(typed.length === 0 ? 'Access key ID' : 'Secret access key', `half${CONTROL_C}`);
      await expectInterrupted(terminal);
      expect(terminal.screen).not.to.contain('half').and.not.contain('AKIAOFNOBODY');
      expect(await storedFor('given-up')).to.deep.equal([]);
    });

  it('asks before it deletes, and deletes nothing after "no" or Control-C', async () => {
    const doomed = 'asked-about';
    await world.owner.succeed(world.newBucket(doomed), { env: world.credentials });
    const remove = world.inOwn('bucket', 'delete', doomed);
    const question = `Delete bucket "${doomed}" (s3) and its credentials from zipjobs? [y/N]`;
    {
      await using terminal = world.owner.atTerminal(remove);
      await terminal.respond(question, ENTER);
      expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 3, echo: true });
      expect(terminal.screen).to.contain('Cancelled: nothing was changed');
    }
    {
      await using terminal = world.owner.atTerminal(remove);
      await terminal.respond(question, CONTROL_C);
      await expectInterrupted(terminal);
    }
    await world.owner.succeed(world.inOwn('bucket', 'show', doomed));
    await using terminal = world.owner.atTerminal(remove);
    await terminal.respond(question, `y${ENTER}`);
    expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 0, echo: true });
    expect(await storedFor(doomed)).to.deep.equal([]);
  });

  it('refuses to read credentials from a terminal as standard input, which would echo them', async () => {
    await using terminal = world.owner.atTerminal([...world.newBucket('shown'), '--credentials-file', '-']);
    expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 2, echo: true });
    expect(terminal.screen).to.contain('Standard input is a terminal');
  });

  it('explains how to pass credentials and consent without a terminal', async () => {
    await world.refused(world.owner, world.newBucket('piped'), {
      code: 2,
      says: NO_CREDENTIALS,
    });
    await world.refused(world.owner, ['project', 'delete', world.own], {
      code: 2,
      says: `Delete project "${world.own}" and cancel its jobs? Its access tokens stop working. ${UNCONFIRMED}`,
    });
  });
});
