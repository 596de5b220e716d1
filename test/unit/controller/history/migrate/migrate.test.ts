import { execFile } from 'node:child_process';
import { expect } from 'chai';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createEmptyDatabase } from '#test/support/servers/test-database.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';

const FILES = ['0001-history'];
const DAY_MS = 86_400_000;
/** Three tables for each month of the days from yesterday to 14 days ahead. */
const PARTITIONS =
  3 *
  new Set(
    Array.from({ length: 16 }, (_, n) => new Date(Date.now() + (n - 1) * DAY_MS).toISOString().slice(0, 7)),
  ).size;

describe('the migrations', () => {
  let server: PostgresServer;
  before(async function () {
    await requirePostgres(this);
  });
  beforeEach(async () => {
    server = await createEmptyDatabase();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  async function partitions(): Promise<readonly string[]> {
    await using owner = await server.open('owner');
    const { rows } = await owner.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid WHERE relkind = 'r' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  it('create all tables with the partitions of yesterday to 14 days ahead, and change nothing when they run again', async () => {
    expect(await server.migrate()).to.deep.equal(FILES);
    const made = await partitions();
    expect(made).to.have.length(PARTITIONS);
    expect(await server.migrate()).to.deep.equal([]);
    expect(await partitions()).to.deep.equal(made);
  });

  describe('the program', () => {
    interface Ended {
      readonly code: number;
      readonly output: string;
    }
    function run(env: Readonly<Record<string, string>> = {}): Promise<Ended> {
      return new Promise((resolve) => {
        const child = execFile(
          process.execPath,
          ['controller/history/migrate/main.ts'],
          { env: { ...compileCacheEnv(), ...server.env('owner'), ...unsupported({ RETRY_MS: 10 }), ...env } },
          (_error, output) => resolve({ code: child.exitCode ?? -1, output }),
        );
      });
    }

    it('reports what it applied, and does nothing when it runs again', async () => {
      const first = await run();
      expect(first.code, first.output).to.equal(0);
      expect(first.output).to.contain(`"applied":${JSON.stringify(FILES)},"partitions":${PARTITIONS}`);
      const second = await run();
      expect(second).to.include({ code: 0 });
      expect(second.output).to.contain('the schema is up to date');
    });

    it('ends at once with an error that names the setting of a role that does not exist', async () => {
      const { code, output } = await run({ HISTORY_READER_ROLE: 'nobody "at" all' });
      expect(code).to.equal(1);
      expect(output).to.contain('HISTORY_READER_ROLE').and.contain('Create it');
    });

    it('repeats what fails for other reasons, until its time limit, without the password in its output', async () => {
      const [port] = await freePorts(1);
      const { code, output } = await run({ HISTORY_PORT: `${port}`, LIMIT_SECONDS: '1' });
      expect(code).to.equal(1);
      expect(output).to.contain('trying again').and.contain('HISTORY_PORT');
      expect(output)
        .to.not.contain('owner-password"')
        .and.not.match(/password-[0-9]/);
    });

    it('says what an administrator grants if the role may not create the schema', async () => {
      await using administrator = await server.open('superuser');
      await administrator.query('DROP SCHEMA zipjobs CASCADE');
      const { code, output } = await run();
      expect(code).to.equal(1);
      expect(output)
        .to.contain(`permission denied for database ${server.database}`)
        .and.contain(`GRANT CONNECT, CREATE ON DATABASE \\"${server.database}\\" TO \\"zipjobs_owner\\"`)
        .and.not.contain('Run the migrations')
        .and.not.contain('trying again');
    });

    it('refuses a database that cannot store every key, and says how to create one', async () => {
      await using administrator = await server.open('superuser');
      await administrator.query(
        `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' OWNER zipjobs_owner`,
      );
      const { code, output } = await run({ HISTORY_DATABASE: 'latin' });
      await administrator.query('DROP DATABASE latin');
      expect(code).to.equal(1);
      expect(output).to.contain('encoding LATIN1').and.contain('UTF8').and.not.contain('trying again');
    });

    const permanent: Readonly<Record<string, readonly [Readonly<Record<string, string>>, string]>> = {
      'a role that the server refuses': [{ HISTORY_USER: 'zipjobs_nobody' }, 'HISTORY_PASSWORD_FILE'],
      'a database that does not exist': [{ HISTORY_DATABASE: 'other' }, 'HISTORY_DATABASE'],
      'a role that does not own the schema': [{ HISTORY_USER: 'zipjobs_reader' }, 'owns the schema'],
      'a certificate of an unknown authority': [{ HISTORY_CA_FILE: '' }, 'HISTORY_CA_FILE'],
    };
    for (const [what, [env, hint]] of Object.entries(permanent))
      it(`ends at once because of ${what}`, async () => {
        const role = env['HISTORY_USER'] === 'zipjobs_reader' ? 'reader' : 'owner';
        const { code, output } = await run({ ...server.env(role), ...env });
        expect(code).to.equal(1);
        expect(output).to.contain(hint).and.not.contain('trying again');
        expect(output).to.not.contain('owner-password"');
      });

    it('names what is missing in its settings', async () => {
      const { code, output } = await run({ HISTORY_HOST: '' });
      expect(code).to.equal(1);
      expect(output).to.contain('HISTORY_HOST is not set');
    });
  });
});
