import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '#runtime/config/read-config.ts';
import { AppError } from '#runtime/errors.ts';
import { createHistoryDatabase, type HistoryDatabase } from '#runtime/history/database.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { createLogger } from '#runtime/log/log.ts';
import { BUILT_IN_TRUST } from '#runtime/tls/trust.ts';

const ONE = { text: 'SELECT 1 AS one' };

/** AuthenticationOk and ReadyForQuery of the protocol. */
const SIGNED_IN = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49]);

function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('a database that accepts sign-ins and runs no statement, such as a pooler without its server', () => {
  const sockets = new Set<Socket>();
  let server: Server;
  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(SIGNED_IN));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  function connect(connectTimeoutMs: number): HistoryDatabase {
    const address = server.address();
    const env = {
      HISTORY_HOST: '127.0.0.1',
      HISTORY_PORT: String(typeof address === 'object' ? address?.port : 0),
      HISTORY_TLS: 'disable',
    };
    const settings = {
      ...readConfig(HISTORY_SETTINGS, env, HISTORY_CONSTANTS),
      historyConnectTimeoutMs: connectTimeoutMs,
      historyStatementTimeoutMs: 60_000,
    };
    const log = createLogger('test', { level: 'silent' });
    return createHistoryDatabase(settings, { log, trust: BUILT_IN_TRUST, applicationName: 'test' });
  }

  it('fails after the time limit of a connection, not of a statement (G8)', async () => {
    const database = connect(200);
    const error = await outcomeOf(database.query(ONE));
    expect(error).to.be.instanceOf(AppError).and.to.include({ code: 'HistoryUnavailable', retryable: true });
  });

  it('ends with the signal of the caller before that', async () => {
    const database = connect(30_000);
    const abort = new AbortController();
    const outcome = outcomeOf(database.query(ONE, abort.signal));
    abort.abort();
    expect(await outcome).to.equal(abort.signal.reason);
  });
});
