import { type ConfigOf, milliseconds, type Settings } from '../config.ts';

/** The PostgreSQL database with the history of finished jobs, for every process that uses it. */
export const HISTORY_SETTINGS = {
  historyHost: {
    env: 'HISTORY_HOST',
    type: 'string',
    default: '',
    pattern: '^[A-Za-z0-9._:-]*$',
    description: 'name or address of the PostgreSQL server with the history of jobs; empty for no history',
  },
  historyPort: {
    env: 'HISTORY_PORT',
    type: 'integer',
    minimum: 1,
    maximum: 65535,
    default: 5432,
    description: 'port of the PostgreSQL server',
  },
  historyDatabase: {
    env: 'HISTORY_DATABASE',
    type: 'string',
    default: 'zipjobs',
    description: 'name of the database',
  },
  historyUser: {
    env: 'HISTORY_USER',
    type: 'string',
    default: 'zipjobs',
    description: 'role that this process signs in with',
  },
  historyPasswordFile: {
    env: 'HISTORY_PASSWORD_FILE',
    type: 'string',
    default: '',
    description:
      'file with the password of HISTORY_USER, read again for each new connection; empty for no password',
  },
  historyTls: {
    env: 'HISTORY_TLS',
    type: 'string',
    enum: ['verify-full', 'disable'],
    default: 'verify-full',
    description: 'verify-full: TLS that verifies the certificate and the name of the server. disable: no TLS',
  },
  historyCaFile: {
    env: 'HISTORY_CA_FILE',
    type: 'string',
    default: '',
    description:
      'PEM file with the only certificate authorities that are trusted for the server, read again when it changes; empty for the public ones and TRUST_BUNDLE_FILE',
  },
  historyPoolSize: {
    env: 'HISTORY_POOL_SIZE',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 4,
    description: 'maximum number of connections of this process',
  },
  historyPoolQueue: {
    env: 'HISTORY_POOL_QUEUE',
    type: 'integer',
    minimum: 1,
    default: 100,
    description: 'maximum number of queries that wait for a connection; further ones fail immediately',
  },
  historyConnectTimeoutMs: milliseconds(
    'HISTORY_CONNECT_TIMEOUT_MS',
    3_000,
    'how long a query waits for a connection',
  ),
  historyStatementTimeoutMs: milliseconds(
    'HISTORY_STATEMENT_TIMEOUT_MS',
    10_000,
    'time limit of one statement, after which the server cancels it',
  ),
} as const satisfies Settings;
export type HistorySettings = ConfigOf<typeof HISTORY_SETTINGS>;
