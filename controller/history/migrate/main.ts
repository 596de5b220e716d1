/** Helm runs this before an installation and an upgrade with a history: creates and changes the tables in PostgreSQL. */
import pg from 'pg';
import { AppError, ConfigError, errorCode, toError } from '#runtime/errors.ts';
import { placeOf } from '#runtime/history/connection.ts';
import { toHistoryError } from '#runtime/history/history-error.ts';
import { createPool } from '#runtime/history/pool.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Lifetime } from '#runtime/process/lifecycle.ts';
import { startProcess } from '#runtime/process/start-process.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { retry } from '#runtime/time/retry.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { type MigrateConfig, readMigrateConfig } from './config.ts';
import { migrate } from './migrate.ts';

const NAME = 'zipjobs-migrate';
const SHUTDOWN_MS = 5_000;

/**
 * Whether time cannot repair the error, so that Helm reports it at once: a refused sign-in (SQLSTATE 28), a missing database (3D) or
 * permission (42), or a certificate that cannot be verified.
 */
function isPermanent({ cause }: AppError): boolean {
  return /^(28|3D|42)|CERT|SIGNATURE|ISSUER/.test(errorCode(cause) ?? '');
}

/** For other processes, the repair of a missing permission is to run the migrations. */
function toMigrationError(thrown: unknown, config: MigrateConfig): Error {
  const error = toHistoryError(thrown, placeOf(config));
  if (errorCode(thrown) !== '42501') return error;
  const [database, role] = [config.historyDatabase, config.historyUser].map((name) =>
    pg.escapeIdentifier(name),
  );
  return new ConfigError(
    `History database ${placeOf(config)} cannot be migrated: ${toError(thrown).message}. As an administrator, run GRANT CONNECT, CREATE ON DATABASE ${database} TO ${role}. If the schema "zipjobs" exists, this role must own it and its tables.`,
    thrown,
  );
}

/** One attempt on a connection of its own, which is closed after it. */
async function attempt(pool: pg.Pool, config: MigrateConfig, log: Logger): Promise<void> {
  let client: pg.PoolClient | undefined;
  try {
    client = await pool.connect();
    client.on('error', () => undefined);
    await migrate(client, {
      log,
      roles: { writer: config.writerRole, reader: config.readerRole },
      lockTimeoutMs: config.lockTimeoutMs,
    });
  } catch (error) {
    throw toMigrationError(error, config);
  } finally {
    client?.release(true);
  }
}

async function serve(config: MigrateConfig, log: Logger, lifetime: Lifetime): Promise<number> {
  const trust = createBundleTrust(config, { clock: systemClock, log });
  const pool = createPool(config, { log, trust, applicationName: NAME });
  lifetime.resources.defer(() => pool.end());
  const limit = AbortSignal.timeout(config.limitSeconds * 1000);
  await retry(
    () => attempt(pool, config, log),
    {
      attempts: Number.POSITIVE_INFINITY,
      baseDelayMs: config.retryMs,
      maxDelayMs: config.retryMs,
      isRetryable: (error) =>
        error instanceof AppError && error.retryable && !isPermanent(error) && !limit.aborted,
      onRetry: (error) => log.warn({ err: error }, 'could not migrate the history database; trying again'),
    },
    lifetime.stopping,
  );
  return 0;
}

await startProcess({
  name: NAME,
  env: process.env,
  readConfig: readMigrateConfig,
  serve,
  shutdownTimeoutMs: () => SHUTDOWN_MS,
});
