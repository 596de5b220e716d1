import { type ConfigOf, LONGEST_TIMER_SECONDS, milliseconds, type Settings } from '#runtime/config.ts';
import { ConfigError } from '#runtime/errors.ts';
import { HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { LOG_SETTINGS } from '#runtime/log-settings.ts';
import { readConfig } from '#runtime/read-config.ts';
import { TRUST_SETTINGS } from '#runtime/tls/settings.ts';

const ROLE_PATTERN = '^[^\\u0000]{1,63}$';

const MIGRATE_SETTINGS = {
  ...LOG_SETTINGS,
  ...HISTORY_SETTINGS,
  ...TRUST_SETTINGS,
  historyStatementTimeoutMs: {
    ...HISTORY_SETTINGS.historyStatementTimeoutMs,
    default: 600_000,
  },
  writerRole: {
    env: 'HISTORY_WRITER_ROLE',
    type: 'string',
    default: 'zipjobs_writer',
    pattern: ROLE_PATTERN,
    description: 'role of the controller, which may write the history',
  },
  readerRole: {
    env: 'HISTORY_READER_ROLE',
    type: 'string',
    default: 'zipjobs_reader',
    pattern: ROLE_PATTERN,
    description: 'role of the API and the dashboard, which may read the history',
  },
  lockTimeoutMs: milliseconds(
    'LOCK_TIMEOUT_MS',
    5_000,
    'how long a statement waits for a lock before it gives up, so that writers never queue behind it for long; it is then repeated',
  ),
  retryMs: milliseconds('RETRY_MS', 2_000, 'pause before a failed migration is repeated'),
  limitSeconds: {
    env: 'LIMIT_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_TIMER_SECONDS,
    default: 300,
    description: 'time after which a failed migration is not repeated',
  },
} as const satisfies Settings;
export type MigrateConfig = ConfigOf<typeof MIGRATE_SETTINGS>;

/** @throws ConfigError that lists every invalid variable. */
export function readMigrateConfig(env: Readonly<Record<string, string | undefined>>): MigrateConfig {
  const config = readConfig(MIGRATE_SETTINGS, env);
  if (config.historyHost === '')
    throw new ConfigError('HISTORY_HOST is not set: there is no database to migrate');
  return config;
}
