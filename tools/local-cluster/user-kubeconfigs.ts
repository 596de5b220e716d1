import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClusterUser } from './cluster-types.ts';
import type { ControlPlane } from './control-plane.ts';
import { type KubeconfigUser, writeKubeconfig } from './kubeconfig.ts';

export interface UserKubeconfigOptions {
  readonly binary: string;
  readonly dir: string;
  readonly plane: ControlPlane;
}

const run = promisify(execFile);

/** Creates kubeconfigs for users and programs. A user name gets a certificate of the cluster's CA. */
export function createUserKubeconfigs(
  options: UserKubeconfigOptions,
): (user: ClusterUser) => Promise<string> {
  const { url, caPath } = options.plane;
  return async (user) => {
    const folder = join(options.dir, 'users');
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${randomUUID()}.kubeconfig`);
    await writeKubeconfig(path, {
      url,
      caPath,
      user: 'token' in user ? user : await signedUser(user, options),
    });
    return path;
  };
}

/** Signs a user certificate with the cluster's CA, next to those of the control plane. */
export async function signedUser(
  user: Exclude<ClusterUser, { readonly token: string }>,
  options: Pick<UserKubeconfigOptions, 'binary' | 'plane'>,
): Promise<KubeconfigUser> {
  const { certificates } = options.plane;
  await run(options.binary, ['sign', certificates, user.commonName, ...(user.organizations ?? [])]);
  function file(ending: string): string {
    return join(certificates, `${user.commonName}.${ending}`);
  }
  return { certificatePath: file('crt'), keyPath: file('key') };
}
