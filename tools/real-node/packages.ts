import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ClusterError } from '../local-cluster/cluster-error.ts';
import type { Log } from '../local-cluster/cluster-types.ts';

const LIMIT_MS = 15 * 60_000;
const run = promisify(execFile);

/** Debian's packages, each with one of its files or programs. */
const PACKAGES: Readonly<Record<string, string>> = {
  buildah: 'buildah',
  'ca-certificates': '/etc/ssl/certs/ca-certificates.crt',
  conntrack: 'conntrack',
  containerd: 'containerd',
  'containernetworking-plugins': '/usr/lib/cni/bridge',
  iproute2: 'ip',
  iptables: 'iptables',
  runc: 'runc',
};

/**
 * Installs the programs that are missing.
 * @throws ClusterError with the packages if apt-get cannot install them
 */
export async function ensurePackages(log: Log): Promise<void> {
  const found = await Promise.all(Object.values(PACKAGES).map(isThere));
  const missing = Object.keys(PACKAGES).filter((_, index) => found[index] !== true);
  if (missing.length === 0) return;
  log(`Installing ${missing.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    const options = { env, maxBuffer: 1 << 24, timeout: LIMIT_MS };
    await run('apt-get', ['update', '-qq'], options);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...missing], options);
  } catch (cause) {
    throw new ClusterError(
      `A node needs these packages, and apt-get cannot install them: ${missing.join(' ')}`,
      {
        cause,
      },
    );
  }
}

async function isThere(need: string): Promise<boolean> {
  const folders = need.startsWith('/') ? ['/'] : (process.env['PATH'] ?? '').split(delimiter);
  const attempts = folders.map((folder) => access(join(folder, need)));
  return Promise.any(attempts).then(
    () => true,
    () => false,
  );
}
