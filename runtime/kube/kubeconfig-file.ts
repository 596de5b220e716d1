import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { ConfigError } from '../errors.ts';
import type { KubeAccess } from './kube-access.ts';

const load = (file: string): KubeConfig => {
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
 * The current context of a kubeconfig file, with every way to sign in that the client library knows: tokens, certificates,
 * exec plugins, OpenID Connect.
 * @throws ConfigError when the file cannot be read or followed.
 */
export const accessOfFile = (file: string): KubeAccess => {
  let config = load(file);
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new ConfigError(`The kubeconfig ${file} has no current context`);
  if (cluster.proxyUrl !== undefined) {
    throw new ConfigError(
      `The cluster ${cluster.name} is reached by a proxy (proxy-url), which is not supported`,
    );
  }
  return {
    server: cluster.server.replace(/\/+$/, ''),
    credentials: async ({ forget = false } = {}) => {
      if (forget) config = load(file);
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
