import type { ConfigOf, Settings } from '../config/config.ts';
import type { ValuesOf } from '../config/unsupported-settings.ts';

/** The PostgreSQL database with the history of finished jobs, for every process that uses it. */
export const HISTORY_SETTINGS = {
  historyHost: {
    env: 'HISTORY_HOST',
    type: 'string',
    default: '',
    pattern: '^[A-Za-z0-9._:-]*$',
    description: 'name or address of the PostgreSQL server with the history of jobs; empty for no history',
    changeWhen: 'set it when finished jobs must stay readable after their TTL',
  },
  historyPort: {
    env: 'HISTORY_PORT',
    type: 'integer',
    minimum: 1,
    maximum: 65535,
    default: 5432,
    description: 'port of the PostgreSQL server',
    changeWhen: 'change it when the server listens on another port',
  },
  historyDatabase: {
    env: 'HISTORY_DATABASE',
    type: 'string',
    default: 'zipjobs',
    description: 'name of the database',
    changeWhen: 'change it when the database has another name',
  },
  historyUser: {
    env: 'HISTORY_USER',
    type: 'string',
    default: 'zipjobs',
    description: 'role that this process signs in with',
    changeWhen: 'change it when the roles of the database have other names',
  },
  historyPasswordFile: {
    env: 'HISTORY_PASSWORD_FILE',
    type: 'string',
    default: '',
    description:
      'file with the password of HISTORY_USER, read again for each new connection; empty for no password',
    setBy: 'the chart, which mounts the Secret',
  },
  historyTls: {
    env: 'HISTORY_TLS',
    type: 'string',
    enum: ['verify-full', 'disable'],
    default: 'verify-full',
    description: 'verify-full: TLS that verifies the certificate and the name of the server. disable: no TLS',
    changeWhen: 'set disable when the database is reached through a tunnel that encrypts',
  },
  historyCaFile: {
    env: 'HISTORY_CA_FILE',
    type: 'string',
    default: '',
    description:
      'PEM file with the only certificate authorities that are trusted for the server, read again when it changes; empty for the public ones and TRUST_BUNDLE_FILE',
    setBy: 'the chart, which mounts the Secret',
  },
  historyPoolSize: {
    env: 'HISTORY_POOL_SIZE',
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 4,
    description: 'maximum number of connections of this process',
    changeWhen: 'raise it when reads of the history fail because all connections are in use',
  },
} as const satisfies Settings;

export const HISTORY_CONSTANTS = {
  /** Queries that wait for a connection; further ones fail immediately, because they would only time out. */
  historyPoolQueue: 100,
  /** How long a query waits for a connection. */
  historyConnectTimeoutMs: 3_000,
  /** Time limit of one statement, after which the server cancels it: every page is within a fraction of it. */
  historyStatementTimeoutMs: 10_000,
};
export type HistorySettings = ConfigOf<typeof HISTORY_SETTINGS> & ValuesOf<typeof HISTORY_CONSTANTS>;
