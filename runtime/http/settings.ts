import { type ConfigOf, milliseconds, type Settings } from '../config.ts';
import { LOG_SETTINGS } from '../log-settings.ts';

const ADDRESSES = {
  host: {
    env: 'HOST',
    type: 'string',
    default: '',
    description: 'address to listen on; empty for all addresses',
  },
  port: {
    env: 'PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'port of requests',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of health and metrics',
  },
  ...LOG_SETTINGS,
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    type: 'array',
    default: [],
    description: 'CIDRs of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted',
  },
} as const satisfies Settings;

const TIMES = {
  headersTimeoutMs: milliseconds('HEADERS_TIMEOUT_MS', 10_000, 'time limit for the headers of a request'),
  requestTimeoutMs: milliseconds('REQUEST_TIMEOUT_MS', 30_000, 'time limit for a whole request'),
  timeoutCheckMs: milliseconds(
    'TIMEOUT_CHECK_MS',
    500,
    'interval at which HEADERS_TIMEOUT_MS and REQUEST_TIMEOUT_MS are checked',
  ),
  keepAliveTimeoutMs: milliseconds(
    'KEEP_ALIVE_TIMEOUT_MS',
    75_000,
    'how long an idle connection is kept open; must exceed the idle timeout of the load balancer',
  ),
  workTimeoutMs: milliseconds(
    'WORK_TIMEOUT_MS',
    10_000,
    'time limit for all calls to the API server for one request',
  ),
  shutdownPauseMs: {
    ...milliseconds(
      'SHUTDOWN_PAUSE_MS',
      3_000,
      'how long new connections are accepted after SIGTERM, until the load balancer stops sending them',
    ),
    minimum: 0,
  },
  shutdownDrainMs: milliseconds(
    'SHUTDOWN_DRAIN_MS',
    5_000,
    'how long open requests may take to finish after SIGTERM',
  ),
} as const satisfies Settings;

const LIMITS = {
  maxRequestsPerSocket: {
    env: 'MAX_REQUESTS_PER_SOCKET',
    type: 'integer',
    minimum: 1,
    default: 1_000,
    description: 'requests after which a connection is closed, to spread the load to new replicas',
  },
  maxHeaderBytes: {
    env: 'MAX_HEADER_BYTES',
    type: 'integer',
    minimum: 1_024,
    maximum: 65_536,
    default: 16_384,
    description: 'maximum bytes of the headers of a request',
  },
} as const satisfies Settings;

/** Settings of every process that serves requests; spread them into the process's own. */
export const HTTP_SETTINGS = { ...ADDRESSES, ...TIMES, ...LIMITS } as const satisfies Settings;
export type HttpSettings = ConfigOf<typeof HTTP_SETTINGS>;
