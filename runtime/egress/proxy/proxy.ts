import { createIsDirect, type IsDirect } from './no-proxy.ts';

/** What a connection is for. Each purpose has its own proxy, or none. */
export type Purpose = 'sources' | 'stores' | 'webhooks';

/** An HTTP proxy that the operator chose. Every connection is a tunnel (CONNECT) through it. */
export interface Proxy {
  readonly purpose: Purpose;
  /** Without credentials. */
  readonly url: URL;
  /** Value of Proxy-Authorization. */
  readonly authorization: string | undefined;
  readonly isDirect: IsDirect;
}

export interface ProxyValues {
  /** Empty for none. */
  readonly url: string;
  readonly noProxy: readonly string[];
  readonly username: string;
  readonly password: string;
  /** Hosts that never go through a proxy, such as the API server. Empty ones are ignored. */
  readonly directHosts: readonly string[];
}

/** `origin` is the name of the setting with the exceptions. @throws ConfigError if one is invalid */
export function createProxy(purpose: Purpose, values: ProxyValues, origin: string): Proxy | undefined {
  const { url, noProxy, username, password, directHosts } = values;
  if (url === '') return undefined;
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  const direct = directHosts.filter((host) => host !== '');
  return {
    purpose,
    url: new URL(url),
    authorization: username === '' ? undefined : `Basic ${credentials}`,
    isDirect: createIsDirect([...direct, ...noProxy], origin),
  };
}
