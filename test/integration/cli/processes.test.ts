/** The command line as a process: its exit codes, streams and signals, and its prompts at a terminal. */
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { GROUP_VERSION } from '#crds/api-group.ts';
import { bundleCommandLine } from '#scripts/command-line-bundle.ts';
import { readZip } from '#test/support/archives/read-zip.ts';
import {
  endOf,
  startCommandLine,
  startCommandLineAtTerminal,
} from '#test/support/processes/command-line-process.ts';
import { CONTROL_C, ENTER, type PseudoTerminal } from '#test/support/processes/pseudo-terminal.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import {
  type CommandLineWorld,
  NO_CREDENTIALS,
  startOwnProject,
} from '#test/support/worlds/command-line-world.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

describe('zipjobs as a process', function () {
  this.timeout(300_000);
  let world: CommandLineWorld;
  const life = new AsyncDisposableStack();
  before(async () => {
    world = life.use(await startOwnProject('cli-processes'));
  });
  after(() => life.disposeAsync());

  function start(args: readonly string[]) {
    return startCommandLine(world.owner.user, args);
  }
  async function storedSecretKey(bucket: string): Promise<string> {
    return atob(
      await world.kubectl(
        'get',
        'secret',
        `zipbucket-s3-${bucket}`,
        '-o',
        'jsonpath={.data.secretAccessKey}',
      ),
    );
  }

  it('reads standard input, and writes the result and notes to different streams', async () => {
    const { accessKeyId, secretAccessKey } = world.flow.cluster.store;
    const child = start([...world.newBucket('piped'), '--credentials-file', '-']);
    child.stdin.end(JSON.stringify({ accessKeyId, secretAccessKey }));
    const { exitCode, stdout, stderr } = await endOf(child);
    expect(exitCode, stderr).to.equal(0);
    expect(stdout).to.match(/Bucket: +piped\n/);
    expect(stderr).to.equal(`Next: zipjobs bucket test piped -n ${world.own}\n`);
    expect(await storedSecretKey('piped')).to.equal(secretAccessKey);
  });

  it('exits with the code of the error and asks nothing when its streams are pipes', async () => {
    const { exitCode, stdout, stderr } = await endOf(start(world.newBucket('unnamed')));
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
    expect(stderr).to.equal(`zipjobs: ${NO_CREDENTIALS}\n`);
  });

  it('exits with 0 and without an error when the reader closes the pipe, as head does', async () => {
    const child = start(['--help']);
    child.stdout.destroy();
    const [stderr] = await Promise.all([readText(child.stderr), once(child, 'close')]);
    expect({ exitCode: child.exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
  });

  it('runs from one file without packages, and writes a support bundle (X30)', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'one-file-'));
    try {
      const { file: program } = await bundleCommandLine(dir);
      async function runFile(...args: readonly string[]) {
        const run = await endOf(startCommandLine(world.owner.user, args, { program }));
        expect(run.exitCode, run.stderr).to.equal(0);
        return run.stdout;
      }
      expect(JSON.parse(await runFile('project', 'show', world.own, '-o', 'json'))).to.have.property(
        'namespace',
        world.own,
      );
      const zip = join(dir, 'support.zip');
      await runFile('sysdump', '-n', world.own, '--file', zip);
      expect(await readdir(dir)).to.have.members(['THIRD-PARTY-LICENSES', 'support.zip', 'zipjobs.cjs']);
      const names = readZip(await readFile(zip)).entries.map(({ name }) => name);
      expect(names).to.include.members(['summary.txt', `namespaces/${world.own}/zipprojects.yaml`]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });

  it('stops at SIGINT and SIGTERM with exit code 130', async () => {
    await world.owner.succeed(world.newBucket('waited'), { env: world.credentials });
    await applyObjects(world.flow.cluster, [
      {
        apiVersion: GROUP_VERSION,
        kind: 'ZipJob',
        metadata: { namespace: world.own, name: 'held' },
        spec: {
          bucketRef: { name: 's3-waited' },
          key: 'held.zip',
          files: [{ url: world.flow.origin.url('/gen/1000/1'), filename: 'a' }],
          suspend: true,
        },
      },
    ]);
    const ends = await Promise.all(
      (['SIGINT', 'SIGTERM'] as const).map((signal) => {
        const child = start(world.inOwn('job', 'wait', 'held'));
        // It is waiting once it has printed the state of the job.
        child.stderr.once('data', () => child.kill(signal));
        return endOf(child);
      }),
    );
    for (const { exitCode, stdout, stderr } of ends) {
      expect({ exitCode, stdout }, stderr).to.deep.equal({ exitCode: 130, stdout: '' });
      expect(stderr).to.match(/^held .*\nzipjobs: interrupted\n$/);
    }
  });

  describe('at a terminal', () => {
    before(async function () {
      await requirePrograms(this, ['python3']);
    });
    function atTerminal(args: readonly string[]) {
      return startCommandLineAtTerminal(world.owner.user, args);
    }

    /** The stored objects of the bucket: the ZipBucket and its credentials. */
    async function storedFor(bucket: string): Promise<readonly string[]> {
      const names = await world.kubectl('get', 'secrets,zipbuckets', '-o', 'name');
      return names.split('\n').filter((name) => name.endsWith(bucket));
    }
    /** The process ends like an interrupted program and restores the terminal. */
    async function expectInterrupted(terminal: PseudoTerminal): Promise<void> {
      expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 130, echo: true });
      expect(terminal.screen.trimEnd().split(/\r?\n/).at(-1)).to.equal('zipjobs: interrupted');
    }

    it('asks for credentials without echoing what is typed (H9)', async () => {
      const { accessKeyId, secretAccessKey } = world.flow.cluster.store;
      await using terminal = atTerminal(world.newBucket('typed'));
      await terminal.respond('Access key ID', accessKeyId + ENTER);
      await terminal.respond('Secret access key', secretAccessKey + ENTER);
      expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 0, echo: true });
      expect(terminal.screen).to.match(/Bucket: +typed\r?\n/);
      // Not even a part of it, which an echoing terminal would print key by key.
      for (const typed of [accessKeyId, secretAccessKey])
        expect(terminal.screen).not.to.contain(typed.slice(0, 6)).and.not.contain(typed.slice(-6));
      expect(await storedSecretKey('typed')).to.equal(secretAccessKey);
    });

    for (const [where, typed] of [
      ['the first prompt', []],
      ['the second prompt', ['AKIAOFNOBODY']],
    ] as const)
      it(`ends with exit code 130 at Control-C in ${where}, and leaves nothing behind`, async () => {
        await using terminal = atTerminal(world.newBucket('given-up'));
        for (const value of typed) await terminal.respond('Access key ID', value + ENTER);
        const question = typed.length === 0 ? 'Access key ID' : 'Secret access key';
        await terminal.respond(question, `half${CONTROL_C}`);
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
        await using terminal = atTerminal(remove);
        await terminal.respond(question, ENTER);
        expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 3, echo: true });
        expect(terminal.screen).to.contain('Cancelled: nothing was changed');
      }
      {
        await using terminal = atTerminal(remove);
        await terminal.respond(question, CONTROL_C);
        await expectInterrupted(terminal);
      }
      await world.owner.succeed(world.inOwn('bucket', 'show', doomed));
      await using terminal = atTerminal(remove);
      await terminal.respond(question, `y${ENTER}`);
      expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 0, echo: true });
      expect(await storedFor(doomed)).to.deep.equal([]);
    });

    it('refuses to read credentials from a terminal as standard input, which would echo them', async () => {
      await using terminal = atTerminal([...world.newBucket('shown'), '--credentials-file', '-']);
      expect(await terminal.ended, terminal.screen).to.deep.equal({ exitCode: 2, echo: true });
      expect(terminal.screen).to.contain('Standard input is a terminal');
    });
  });
});
