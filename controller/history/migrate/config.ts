import { type ConfigOf, LONGEST_TIMER_SECONDS, type Settings } from '#runtime/config/config.ts';
import { LOG_SETTINGS } from '#runtime/config/log-settings.ts';
import { readConfig } from '#runtime/config/read-config.ts';
import type { ValuesOf } from '#runtime/config/unsupported-settings.ts';
import { ConfigError } from '#runtime/errors.ts';
import { HISTORY_CONSTANTS, HISTORY_SETTINGS } from '#runtime/history/settings.ts';
import { LONGEST_TIMER_MS } from '#runtime/time/clock.ts';
import { TRUST_CONSTANTS, TRUST_SETTINGS } from '#runtime/tls/settings.ts';

const ROLE_PATTERN = '^[^\\u0000]{1,63}$';

export const MIGRATE_SETTINGS = {
  ...LOG_SETTINGS,
  ...HISTORY_SETTINGS,
  ...TRUST_SETTINGS,
  writerRole: {
    env: 'HISTORY_WRITER_ROLE',
    type: 'string',
    default: 'zipjobs_writer',
    pattern: ROLE_PATTERN,
    description: 'role of the controller, which may write the history',
    changeWhen: 'change it when the roles of the database have other names',
  },
  readerRole: {
    env: 'HISTORY_READER_ROLE',
    type: 'string',
    default: 'zipjobs_reader',
    pattern: ROLE_PATTERN,
    description: 'role of the API and the dashboard, which may read the history',
    changeWhen: 'change it when the roles of the database have other names',
  },
  limitSeconds: {
    env: 'LIMIT_SECONDS',
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_TIMER_SECONDS,
    default: 300,
    description: 'time after which a failed migration is not repeated',
    changeWhen: 'raise it when an upgrade fails because the migration of a large history takes longer',
  },
} as const satisfies Settings;

const MIGRATE_CONSTANTS = {
  ...HISTORY_CONSTANTS,
  ...TRUST_CONSTANTS,
  /** How long a statement waits for a lock before it gives up, so that writers never queue behind it for long; it is then repeated. */
  lockTimeoutMs: 5_000,
  /** Pause before a failed migration is repeated. */
  retryMs: 2_000,
};
/** A statement that starts last may take this long beyond the time limit. */
const LAST_STATEMENT_SECONDS = 30;

export type MigrateConfig = ConfigOf<typeof MIGRATE_SETTINGS> & ValuesOf<typeof MIGRATE_CONSTANTS>;

/** @throws ConfigError that lists every invalid variable. */
export function readMigrateConfig(env: Readonly<Record<string, string | undefined>>): MigrateConfig {
  const config = readConfig(MIGRATE_SETTINGS, env, MIGRATE_CONSTANTS);
  if (config.historyHost === '')
    throw new ConfigError('HISTORY_HOST is not set: there is no database to migrate');
  // One statement may use the whole time: it changes a large table.
  const seconds = config.limitSeconds + LAST_STATEMENT_SECONDS;
  return { ...config, historyStatementTimeoutMs: Math.min(LONGEST_TIMER_MS, seconds * 1_000) };
}
