import { isIP } from 'node:net';
import type { SecureContext } from 'node:tls';
import { Redis } from 'ioredis';
import { readSettingFile } from '../config/read-setting-file.ts';
import { type Clock, LONGEST_TIMER_MS } from '../time/clock.ts';
import { backoffMs } from '../time/retry.ts';
import { parseCertificates } from '../tls/certificates.ts';
import { type ClientTls, onlyTrust, type Trust } from '../tls/trust.ts';
import type { RedisSettings } from './settings.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that is silent for this long, and for the time limits of ten commands, is given up: its server may be lost. */
const SILENCE_LIMIT_MS = 2_000;
const SILENT_COMMANDS = 10;
const RECONNECT = { baseDelayMs: 200, maxDelayMs: 2_000 } as const;

function credentials({ redisUsername, redisPassword }: RedisSettings) {
  return {
    ...(redisUsername === '' ? {} : { username: redisUsername }),
    ...(redisPassword === '' ? {} : { password: redisPassword }),
  };
}

/** If Redis has its own authority, no other is trusted for it. A `redis://` URL without one means no TLS. */
function trustOf({ redisUrl, redisCaFile: file }: RedisSettings, trust: Trust): Trust | undefined {
  if (file !== '')
    return onlyTrust(parseCertificates(readSettingFile('REDIS_CA_FILE', file), `REDIS_CA_FILE: ${file}`));
  return redisUrl.startsWith('rediss://') ? trust : undefined;
}

/** As Node's HTTPS client: the server name is the host, unless that is an address. */
function serverNameOf(redisUrl: string): string {
  const host = URL.parse(redisUrl)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return isIP(host) === 0 ? host : '';
}

/** The client reads these options for each connection. */
function tlsOptions(trust: Trust, servername: string): ClientTls & { readonly servername: string } {
  return {
    servername,
    rejectUnauthorized: true,
    get secureContext() {
      return trust.tls().secureContext as SecureContext;
    },
  };
}

/** A server that cannot serve writes now, as after a failover. Redis before 7 quotes the answer in that of the script. */
const NOT_THE_PRIMARY = /(?:^|: -)(?:READONLY|LOADING|MASTERDOWN|NOREPLICAS)\b/;

/** Another connection may lead to the new primary, because it resolves the host name again. */
function createReconnectOnError(clock: Pick<Clock, 'monotonicMs'>): (error: Error) => boolean {
  let nextAt = Number.NEGATIVE_INFINITY;
  return ({ message }) => {
    const now = clock.monotonicMs();
    if (!NOT_THE_PRIMARY.test(message) || now < nextAt) return false;
    nextAt = now + RECONNECT.maxDelayMs;
    return true;
  };
}

export interface RedisDeps {
  readonly trust: Trust;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onError: (error: Error) => void;
}

/**
 * A client that reconnects for as long as the process runs. A command without a connection fails immediately, so that
 * no request waits for Redis.
 * @throws ConfigError
 */
export function createRedis(
  settings: RedisSettings,
  { trust, clock, onError }: RedisDeps,
): Redis & AsyncDisposable {
  const { redisUrl, redisTimeoutMs } = settings;
  const usedTrust = trustOf(settings, trust);
  const redis = new Redis(redisUrl, {
    ...credentials(settings),
    ...(usedTrust && { tls: tlsOptions(usedTrust, serverNameOf(redisUrl)) }),
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: redisTimeoutMs,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: Math.min(LONGEST_TIMER_MS, Math.max(SILENCE_LIMIT_MS, SILENT_COMMANDS * redisTimeoutMs)),
    reconnectOnError: createReconnectOnError(clock),
    retryStrategy: (times: number) => backoffMs(RECONNECT, times),
  });
  redis.on('error', onError);
  // Errors are also emitted as `error` events.
  redis.connect().catch(() => undefined);
  return Object.assign(redis, {
    [Symbol.asyncDispose]: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  });
}
