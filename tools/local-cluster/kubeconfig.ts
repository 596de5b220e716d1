import { writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';

export type KubeconfigUser =
  | { readonly token: string }
  | { readonly certificatePath: string; readonly keyPath: string };

export interface KubeconfigOptions {
  readonly url: string;
  readonly caPath: string;
  readonly user: KubeconfigUser;
}

/** Writes a kubeconfig with one cluster, user and context, readable only by its owner. */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster: { server: options.url, 'certificate-authority': options.caPath } }],
    users: [{ name: 'user', user: userEntry(options.user) }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'user', namespace: 'default' } }],
    'current-context': 'local',
  };
  await writeFile(path, stringify(config), { mode: 0o600 });
}

function userEntry(user: KubeconfigUser): Record<string, string> {
  if ('token' in user) return { token: user.token };
  return { 'client-certificate': user.certificatePath, 'client-key': user.keyPath };
}
