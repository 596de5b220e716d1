import type { ConfigOf, Settings } from '../../config.ts';
import { createProxy, type Proxy, type Purpose } from './proxy.ts';

const urlOf = <const E extends string>(env: E, what: Purpose) => ({
  env,
  type: 'string' as const,
  default: '',
  pattern: '^(https?://[A-Za-z0-9.:[\\]_-]+/?)?$',
  description: `URL of the HTTP proxy for ${what}, without credentials; empty for none`,
});
const exceptionsOf = <const E extends string>(env: E, what: Purpose) => ({
  env,
  type: 'array' as const,
  default: [],
  description: `hosts, domains and ranges of ${what} to connect to without the proxy`,
});
const userOf = <const E extends string>(env: E, what: Purpose) => ({
  env,
  type: 'string' as const,
  default: '',
  description: `user name for the proxy for ${what}; empty for none`,
});
const passwordOf = <const E extends string>(env: E, what: Purpose) => ({
  env,
  type: 'string' as const,
  default: '',
  secret: true,
  description: `password for the proxy for ${what}`,
});

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

/** `directHosts` are the hosts of the API server. @throws ConfigError for an invalid exception */
export const sourceProxy = (
  settings: ConfigOf<typeof SOURCE_PROXY_SETTINGS>,
  directHosts: readonly string[],
): Proxy | undefined =>
  createProxy(
    'sources',
    {
      url: settings.sourceProxyUrl,
      noProxy: settings.sourceNoProxy,
      username: settings.sourceProxyUsername,
      password: settings.sourceProxyPassword,
      directHosts,
    },
    'SOURCE_NO_PROXY',
  );

/** `directHosts` are the hosts of the API server. @throws ConfigError for an invalid exception */
export const storeProxy = (
  settings: ConfigOf<typeof STORE_PROXY_SETTINGS>,
  directHosts: readonly string[],
): Proxy | undefined =>
  createProxy(
    'stores',
    {
      url: settings.storeProxyUrl,
      noProxy: settings.storeNoProxy,
      username: settings.storeProxyUsername,
      password: settings.storeProxyPassword,
      directHosts,
    },
    'STORE_NO_PROXY',
  );

/** `directHosts` are the hosts of the API server. @throws ConfigError for an invalid exception */
export const webhookProxy = (
  settings: ConfigOf<typeof WEBHOOK_PROXY_SETTINGS>,
  directHosts: readonly string[],
): Proxy | undefined =>
  createProxy(
    'webhooks',
    {
      url: settings.webhookProxyUrl,
      noProxy: settings.webhookNoProxy,
      username: settings.webhookProxyUsername,
      password: settings.webhookProxyPassword,
      directHosts,
    },
    'WEBHOOK_NO_PROXY',
  );
