import { type ConfigOf, milliseconds, type Settings } from '../config/config.ts';
import { LOG_SETTINGS } from '../config/log-settings.ts';
import type { ValuesOf } from '../config/unsupported-settings.ts';
import { SERVER_TLS_CONSTANTS, SERVER_TLS_SETTINGS } from '../tls/settings.ts';

const ADDRESSES = {
  host: {
    env: 'HOST',
    type: 'string',
    default: '',
    description: 'address to listen on; empty for all addresses',
    setBy: 'the chart',
  },
  port: {
    env: 'PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 8080,
    description: 'port of requests',
    setBy: 'the chart',
  },
  adminPort: {
    env: 'ADMIN_PORT',
    type: 'integer',
    minimum: 0,
    maximum: 65535,
    default: 9090,
    description: 'port of health and metrics',
    setBy: 'the chart',
  },
  ...LOG_SETTINGS,
  trustedProxies: {
    env: 'TRUSTED_PROXIES',
    type: 'array',
    default: [],
    description: 'CIDRs of proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted',
    changeWhen: 'set it when all clients share one address in logs and limits',
  },
} as const satisfies Settings;

/** Settings of every process that serves requests; spread them into the process's own. */
export const HTTP_SETTINGS = {
  ...ADDRESSES,
  ...SERVER_TLS_SETTINGS,
  requestTimeoutMs: milliseconds('REQUEST_TIMEOUT_MS', 30_000, {
    description: 'time limit for a whole request',
    changeWhen: 'raise it when large requests over slow connections end with 408',
  }),
} as const satisfies Settings;

export const HTTP_CONSTANTS = {
  ...SERVER_TLS_CONSTANTS,
  /** Time limit for the headers of a request: they fit into a few packets. */
  headersTimeoutMs: 10_000,
  /** How often these time limits are checked. */
  timeoutCheckMs: 500,
  /** How long an idle connection is kept: longer than the idle timeout of common load balancers, which is 60 seconds. */
  keepAliveTimeoutMs: 75_000,
  /** Time limit for all calls to the API server for one request. A POST relies on it (SHORTEST_KEPT_MS of the controller). */
  workTimeoutMs: 10_000,
  /** How long new connections are accepted after SIGTERM, until load balancers know that the pod ends. */
  shutdownPauseMs: 3_000,
  /** How long open requests may take after that; with the pause, less than the grace period of the pod. */
  shutdownDrainMs: 5_000,
  /** Requests after which a connection is closed, so that new replicas get some of the load. */
  maxRequestsPerSocket: 1_000,
  /** Bytes of the headers of a request, as in Node. */
  maxHeaderBytes: 16_384,
};
export type HttpSettings = ConfigOf<typeof HTTP_SETTINGS> & ValuesOf<typeof HTTP_CONSTANTS>;
