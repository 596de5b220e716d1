import type { RequestOptions } from 'node:https';
import { accessOfPod } from './pod-identity.ts';
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

/**
 * The pod's own identity, or that of the kubeconfig file when `settings.kubeconfig` names one. Only for the latter the
 * client library is loaded whole.
 * @throws ConfigError when neither is there.
 */
export const createKubeConfig = async (settings: KubeSettings): Promise<KubeAccess> => {
  if (settings.kubeconfig === '') return accessOfPod(settings);
  const { accessOfFile } = await import('./kubeconfig-file.ts');
  return accessOfFile(settings.kubeconfig);
};
