import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { AppError } from '#runtime/errors.ts';
import type { HistoryClient, HistoryDatabase } from '#runtime/history/database.ts';
import { toHistoryError } from '#runtime/history/history-error.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import type { PostgresServer } from '#test/support/servers/postgres-server.ts';
import { createDatabase } from '#test/support/servers/test-database.ts';
import { certificatePath } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';

const SLOW = { text: 'SELECT pg_sleep(60)' };
const ONE = { text: 'SELECT 1 AS one' };

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof AppError)) throw new Error('expected an AppError', { cause: outcome });
  return outcome;
}

describe('the history database', () => {
  const resources = new AsyncDisposableStack();
  let server: PostgresServer;
  before(async function () {
    await requirePostgres(this);
    server = resources.use(await createDatabase());
  });
  after(() => resources.disposeAsync());

  async function pidOf(database: HistoryClient): Promise<number | undefined> {
    return (await database.query<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' }))[0]?.pid;
  }
  async function terminate(pid: number | undefined): Promise<void> {
    await using administrator = await server.open('superuser');
    await administrator.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
  }
  async function backends(state: string): Promise<number> {
    await using administrator = await server.open('superuser');
    const { rowCount } = await administrator.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'test' AND state = $1`,
      [state],
    );
    return rowCount ?? 0;
  }

  it('returns bigint as numbers, and times as RFC 3339 in UTC', async () => {
    await using database = server.connect('reader');
    const text = `SELECT 9007199254740991::bigint AS big, ARRAY[1, 2]::bigint[] AS counts, NULL::bigint AS nothing,
      $1::timestamptz AS at, '2026-05-04 14:00:00.25+02'::timestamptz AS fraction`;
    expect(await database.query({ text, values: ['2026-05-04T12:00:00Z'] })).to.deep.equal([
      {
        big: Number.MAX_SAFE_INTEGER,
        counts: [1, 2],
        nothing: null,
        at: '2026-05-04T12:00:00Z',
        fraction: '2026-05-04T12:00:00.250Z',
      },
    ]);
  });

  describe('transactions', () => {
    const ROW = {
      text: `INSERT INTO zipjobs.projects (project_uid, cluster_uid, namespace) VALUES ($1, $1, 'a')`,
      values: ['11111111-1111-4111-8111-111111111111'],
    };
    async function count(database: HistoryDatabase): Promise<number> {
      return (await database.query({ text: 'SELECT FROM zipjobs.projects' })).length;
    }

    it('commit what succeeds, and undo what fails', async () => {
      await using database = server.connect('writer', { HISTORY_POOL_SIZE: '1' });
      const failed = database.transaction(async (client) => {
        await client.query(ROW);
        throw new Error('changed its mind');
      });
      await failed.catch(() => undefined);
      expect(await count(database)).to.equal(0);
      expect(
        (
          await failureOf(
            database.transaction(async (client) => {
              await client.query(ROW);
              await client.query(ROW);
            }),
          )
        ).code,
      ).to.equal('HistoryRefused');
      expect(await count(database)).to.equal(0);
      await database.transaction((client) => client.query(ROW));
      expect(await count(database)).to.equal(1);
    });

    it('fail, and the process survives, if the connection breaks between two statements', async () => {
      await using database = server.connect('writer', { HISTORY_POOL_SIZE: '1' });
      const broken = database.transaction(async (client) => {
        await terminate(await pidOf(client));
        await client.query(ONE);
      });
      expect(await failureOf(broken)).to.include({ code: 'HistoryUnavailable', retryable: true });
      expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
    });
  });

  describe('a stream', () => {
    const NUMBERS = { text: 'SELECT n::integer AS n FROM generate_series(1, $1::integer) AS n', values: [7] };

    it('returns all rows in batches', async () => {
      await using database = server.connect('reader', { HISTORY_POOL_SIZE: '1' });
      const sizes: number[] = [];
      for await (const rows of database.stream<{ n: number }>(NUMBERS, { batchRows: 3 }))
        sizes.push(rows.length);
      expect(sizes).to.deep.equal([3, 3, 1]);
      expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
    });

    it('returns its connection if the loop ends early', async () => {
      await using database = server.connect('reader', { HISTORY_POOL_SIZE: '1' });
      for await (const rows of database.stream(NUMBERS, { batchRows: 3 })) if (rows.length > 0) break;
      expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
    });
  });

  describe('errors', () => {
    it('of a transaction that the server ended say that nothing is known, not that a value is wrong', () => {
      const error = new pg.DatabaseError(
        'terminating connection due to idle-in-transaction timeout',
        0,
        'error',
      );
      error.code = '25P03';
      expect(toHistoryError(error, 'place')).to.include({ code: 'HistoryUnavailable', retryable: true });
    });

    it('name what to do if the schema is missing, a value is wrong, or a partition is missing', async () => {
      await using reader = server.connect('reader');
      const missing = await failureOf(reader.query({ text: 'SELECT FROM zipjobs.nothing' }));
      expect(missing).to.include({ code: 'HistoryUnavailable', retryable: true });
      expect(missing.message).to.match(
        /^History database "zipjobs_\w+" on 127.0.0.1:\d+ is unavailable: .*migrations/,
      );
      const wrong = await failureOf(reader.query({ text: `SELECT 'a' || chr(0)` }));
      expect(wrong).to.include({ code: 'HistoryRefused', retryable: false });
      await using writer = server.connect('writer');
      const text = `INSERT INTO zipjobs.job_details VALUES ('2001-01-01Z', $1, $1, '{}', '{}')`;
      const noPartition = await failureOf(
        writer.query({ text, values: ['11111111-1111-4111-8111-111111111111'] }),
      );
      expect(noPartition).to.include({ code: 'HistoryPartitionMissing', retryable: true });
    });

    it('say so if a statement takes too long, and the connection stays usable', async () => {
      await using database = server.connect('reader', {
        historyStatementTimeoutMs: 50,
        HISTORY_POOL_SIZE: '1',
      });
      const pid = await pidOf(database);
      const error = await failureOf(database.query(SLOW));
      expect(error).to.include({ code: 'HistoryUnavailable', retryable: true });
      expect(error.message).to.contain('longer than its time limit');
      expect(await pidOf(database)).to.equal(pid);
    });
  });

  it('fails immediately if too many queries wait for a connection, and others after the time limit', async () => {
    const limits = { HISTORY_POOL_SIZE: '1', historyPoolQueue: 1, historyConnectTimeoutMs: 1000 };
    await using database = server.connect('reader', limits);
    await database.query(ONE);
    const abort = new AbortController();
    const slow = database.query(SLOW, abort.signal).catch((error: unknown) => error);
    await until('the statement to run', async () => (await backends('active')) === 1);
    const waiting = failureOf(database.query(ONE));
    const refused = await failureOf(database.query(ONE));
    expect(refused).to.include({ code: 'HistoryUnavailable', retryable: true });
    expect(refused.message).to.contain('HISTORY_POOL_SIZE');
    expect((await waiting).message).to.contain('timeout');
    abort.abort();
    await slow;
  });

  it('ends an aborted statement and its connection', async () => {
    await using database = server.connect('reader', { HISTORY_POOL_SIZE: '1' });
    const abort = new AbortController();
    const slow = database.query(SLOW, abort.signal).then(
      () => undefined,
      (error: unknown) => error,
    );
    await until('the statement to run', async () => (await backends('active')) === 1);
    abort.abort();
    expect(await slow).to.equal(abort.signal.reason);
    expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
  });

  it('reads the password again for each connection, and shows it in no error', async () => {
    const file = join(server.directory, 'rotated-password');
    await writeFile(file, 'wrong-password-1');
    await using database = server.connect('reader', { HISTORY_PASSWORD_FILE: file });
    const refused = await failureOf(database.query(ONE));
    expect(refused).to.include({ code: 'HistoryUnavailable', retryable: true });
    expect(refused.message).to.contain('HISTORY_PASSWORD_FILE').and.not.contain('wrong-password-1');
    await writeFile(file, 'reader-secret');
    expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
  });

  describe('TLS', () => {
    const USED = { text: 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()' };

    it('is used by default, and not with HISTORY_TLS=disable', async () => {
      await using encrypted = server.connect('reader');
      expect(await encrypted.query(USED)).to.deep.equal([{ ssl: true }]);
      await using plain = server.connect('reader', { HISTORY_TLS: 'disable' });
      expect(await plain.query(USED)).to.deep.equal([{ ssl: false }]);
    });

    it('refuses a server with a certificate of another authority, and follows a changed HISTORY_CA_FILE', async () => {
      const file = join(server.directory, 'ca.pem');
      await copyFile(certificatePath('ca.pem'), file);
      await using database = server.connect('reader', { HISTORY_CA_FILE: file });
      const refused = await failureOf(database.query(ONE));
      expect(refused).to.include({ code: 'HistoryUnavailable', retryable: true });
      expect(refused.message).to.contain('HISTORY_CA_FILE');
      await copyFile(certificatePath('private-ca.pem'), file);
      expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
    });

    it('refuses a server under a name that its certificate does not contain', async () => {
      await using database = server.connect('reader', { HISTORY_HOST: '0.0.0.0' });
      expect((await failureOf(database.query(ONE))).message).to.contain('HISTORY_CA_FILE');
    });
  });

  it('survives an idle connection that the server closes, and a server that restarts (G8)', async () => {
    await using database = server.connect('reader');
    await terminate(await pidOf(database));
    expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
    await server.kill();
    expect(await failureOf(database.query(ONE))).to.include({ code: 'HistoryUnavailable', retryable: true });
    await server.start();
    expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
  });

  it('gives up a server that does not respond (G8)', async () => {
    const limits = { historyConnectTimeoutMs: 1000, historyStatementTimeoutMs: 100 };
    await using database = server.connect('reader', limits);
    await database.query(ONE);
    server.freeze();
    try {
      expect((await failureOf(database.query(ONE))).code).to.equal('HistoryUnavailable');
      expect((await failureOf(database.query(ONE))).code).to.equal('HistoryUnavailable');
    } finally {
      server.thaw();
    }
    expect(await database.query(ONE)).to.deep.equal([{ one: 1 }]);
  });
});
