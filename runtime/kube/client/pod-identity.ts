import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
// Imports a single module of the client library: its index loads every API group, which takes 60 MB and half a second.
import { FileAuth } from '@kubernetes/client-node/dist/file_auth.js';
import { ConfigError } from '../../errors.ts';
import type { KubeAccess } from './kube-access.ts';
import type { KubeSettings } from './settings.ts';

/**
 * The service account of the pod of this process. The token is read again every minute, because the kubelet renews it
 * long before it expires. The CA is read on every call, because it may be rotated too.
 * @throws ConfigError outside a cluster
 */
export function accessOfPod(
  settings: Pick<KubeSettings, 'kubernetesHost' | 'kubernetesPort' | 'serviceAccountDir'>,
): KubeAccess {
  const { kubernetesHost, kubernetesPort, serviceAccountDir } = settings;
  if (kubernetesHost === '') {
    throw new ConfigError(
      'No API server is known: KUBERNETES_SERVICE_HOST is not set. Set KUBECONFIG to use one from outside a cluster',
    );
  }
  const host = isIPv6(kubernetesHost) ? `[${kubernetesHost}]` : kubernetesHost;
  const user = {
    name: 'service-account',
    authProvider: { name: 'tokenFile', config: { tokenFile: join(serviceAccountDir, 'token') } },
  };
  let tokens = new FileAuth();
  return {
    server: `https://${host}:${kubernetesPort}`,
    credentials: async ({ forget = false } = {}) => {
      if (forget) tokens = new FileAuth();
      const headers: Record<string, string> = {};
      await tokens.applyAuthentication(user, { headers });
      // A token file may end with a line break, which is invalid in a header.
      const authorization = (headers['Authorization'] ?? '').trim();
      const ca = await readFile(join(serviceAccountDir, 'ca.crt'), 'utf8');
      return { headers: { authorization }, tls: { ca } };
    },
  };
}
