import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { ConfigError } from '../errors.ts';
import type { KubeSettings } from './settings.ts';

/** What the calls of the next seconds are sent with. */
export interface KubeCredentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername'>;
}

/** Which API server, and who we are there. */
export interface KubeAccess {
  /** Base URL without a trailing slash. */
  readonly server: string;
  /** Reads files and tokens anew; with `forget` not even what the client keeps for a minute is reused. */
  credentials(options?: { readonly forget?: boolean }): Promise<KubeCredentials>;
}

const inCluster = (settings: KubeSettings): KubeConfig => {
  const { kubernetesHost, serviceAccountDir } = settings;
  if (kubernetesHost === '') {
    throw new ConfigError(
      'No API server is known: KUBERNETES_SERVICE_HOST is not set. Set KUBECONFIG to use one from outside a cluster',
    );
  }
  const host = isIPv6(kubernetesHost) ? `[${kubernetesHost}]` : kubernetesHost;
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: 'in-cluster',
      server: `https://${host}:${settings.kubernetesPort}`,
      caFile: join(serviceAccountDir, 'ca.crt'),
      skipTLSVerify: false,
    },
    // The client reads the file again every minute: the kubelet renews the token long before it ends.
    {
      name: 'service-account',
      authProvider: { name: 'tokenFile', config: { tokenFile: join(serviceAccountDir, 'token') } },
    },
  );
  return config;
};

const fromFile = (file: string): KubeConfig => {
  const config = new KubeConfig();
  try {
    readFileSync(file);
    config.loadFromFile(file);
  } catch (error) {
    throw new ConfigError(`The kubeconfig ${file} (KUBECONFIG) cannot be read`, error);
  }
  return config;
};

/** The `any`-typed corners of the client end here: header values come out as trimmed text. */
const headerText = (headers: RequestOptions['headers']): Record<string, string> => {
  const pairs = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined);
  // A token file that ends with a line break would make a header that is refused.
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value).trim()]));
};

/**
 * The pod's own identity, or that of the kubeconfig file when `settings.kubeconfig` names one.
 * @throws ConfigError when neither is there.
 */
export const createKubeConfig = (settings: KubeSettings): KubeAccess => {
  const load = (): KubeConfig =>
    settings.kubeconfig === '' ? inCluster(settings) : fromFile(settings.kubeconfig);
  let config = load();
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new ConfigError(`The kubeconfig ${settings.kubeconfig} has no current context`);
  if (cluster.proxyUrl !== undefined) {
    throw new ConfigError(
      `The cluster ${cluster.name} is reached by a proxy (proxy-url), which is not supported`,
    );
  }
  return {
    server: cluster.server.replace(/\/+$/, ''),
    credentials: async ({ forget = false } = {}) => {
      if (forget) config = load();
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      const { ca, cert, key, rejectUnauthorized, servername, auth } = options;
      const basic = typeof auth === 'string' ? { authorization: `Basic ${btoa(auth)}` } : {};
      return {
        headers: { ...basic, ...headerText(options.headers) },
        tls: {
          ...(ca === undefined ? {} : { ca }),
          ...(cert === undefined ? {} : { cert }),
          ...(key === undefined ? {} : { key }),
          ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
          ...(servername === undefined ? {} : { servername }),
        },
      };
    },
  };
};
