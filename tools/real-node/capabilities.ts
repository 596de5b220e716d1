import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a node does first: cgroups, mounts that nobody else sees, a bridge, and a pair of connected interfaces. */
const ATTEMPT = [
  'test -w /sys/fs/cgroup',
  'mount -t tmpfs tmpfs /mnt',
  'ip link add name probe0 type bridge',
  'ip link add name probe1 type veth peer name probe2',
].join(' && ');

/** Arguments of `unshare` for namespaces that the kernel removes, with everything in them, when their first process ends. */
export const NAMESPACES = ['--mount', '--net', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc'];

/** Why no node can run here whatever is installed, in one line with the remedy; undefined if there is no such reason. */
export function whyNotAllowed(): string | undefined {
  if (process.platform !== 'linux') return 'a node needs Linux. Run the tests in a Linux VM.';
  if (process.getuid?.() !== 0) return 'a node needs root. Run as root: sudo -E npm run test:node';
  return undefined;
}

/** The same for the kernel. Needs the programs that `ensurePackages` installs. */
export async function whyRefused(): Promise<string | undefined> {
  try {
    await run('unshare', [...NAMESPACES, 'sh', '-c', ATTEMPT]);
    return undefined;
  } catch (error) {
    const detail = error instanceof Error ? (error.message.trim().split('\n').at(-1) ?? '') : String(error);
    return `the kernel refuses namespaces, mounts, bridges or cgroups (${detail}). Run on a VM, or in a privileged container.`;
  }
}
