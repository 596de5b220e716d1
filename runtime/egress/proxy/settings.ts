import type { Settings } from '../../config/config.ts';
import { createProxy, type Proxy, type Purpose } from './proxy.ts';

function urlOf<const E extends string>(env: E, what: Purpose) {
  return {
    env,
    type: 'string' as const,
    default: '',
    pattern: '^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$',
    description: `URL of the HTTP proxy for ${what}, without credentials; empty for none`,
    changeWhen: `set it when ${what} are reachable only through a proxy`,
  };
}

function exceptionsOf<const E extends string>(env: E, what: Purpose) {
  return {
    env,
    type: 'array' as const,
    default: [],
    description: `hosts, domains and ranges of ${what} to connect to without the proxy`,
    changeWhen: `set it when the proxy cannot reach some ${what}`,
  };
}

function userOf<const E extends string>(env: E, what: Purpose) {
  return {
    env,
    type: 'string' as const,
    default: '',
    description: `user name for the proxy for ${what}; empty for none`,
    changeWhen: `set it when the proxy for ${what} responds with 407`,
  };
}

function passwordOf<const E extends string>(env: E, what: Purpose) {
  return {
    env,
    type: 'string' as const,
    default: '',
    secret: true,
    description: `password for the proxy for ${what}`,
    changeWhen: `set it when the proxy for ${what} responds with 407`,
  };
}

export const SOURCE_PROXY_SETTINGS = {
  sourceProxyUrl: urlOf('SOURCE_PROXY_URL', 'sources'),
  sourceNoProxy: exceptionsOf('SOURCE_NO_PROXY', 'sources'),
  sourceProxyUsername: userOf('SOURCE_PROXY_USERNAME', 'sources'),
  sourceProxyPassword: passwordOf('SOURCE_PROXY_PASSWORD', 'sources'),
} as const satisfies Settings;

export const STORE_PROXY_SETTINGS = {
  storeProxyUrl: urlOf('STORE_PROXY_URL', 'stores'),
  storeNoProxy: exceptionsOf('STORE_NO_PROXY', 'stores'),
  storeProxyUsername: userOf('STORE_PROXY_USERNAME', 'stores'),
  storeProxyPassword: passwordOf('STORE_PROXY_PASSWORD', 'stores'),
} as const satisfies Settings;

export const WEBHOOK_PROXY_SETTINGS = {
  webhookProxyUrl: urlOf('WEBHOOK_PROXY_URL', 'webhooks'),
  webhookNoProxy: exceptionsOf('WEBHOOK_NO_PROXY', 'webhooks'),
  webhookProxyUsername: userOf('WEBHOOK_PROXY_USERNAME', 'webhooks'),
  webhookProxyPassword: passwordOf('WEBHOOK_PROXY_PASSWORD', 'webhooks'),
} as const satisfies Settings;

/** The values of one proxy, such as `sourceProxyUrl`. */
type ProxyConfig<P extends string> = {
  readonly [K in `${P}ProxyUrl` | `${P}ProxyUsername` | `${P}ProxyPassword`]: string;
} & { readonly [K in `${P}NoProxy`]: readonly string[] };

/** `directHosts` are the hosts of the API server. @throws ConfigError for an invalid exception */
export function proxyFor<P extends 'source' | 'store' | 'webhook'>(
  prefix: P,
  settings: ProxyConfig<P>,
  directHosts: readonly string[],
): Proxy | undefined {
  return createProxy(
    `${prefix}s`,
    {
      url: settings[`${prefix}ProxyUrl` as const],
      noProxy: settings[`${prefix}NoProxy` as const],
      username: settings[`${prefix}ProxyUsername` as const],
      password: settings[`${prefix}ProxyPassword` as const],
      directHosts,
    },
    `${prefix.toUpperCase()}_NO_PROXY`,
  );
}
