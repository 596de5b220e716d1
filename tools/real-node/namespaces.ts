import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ADDRESSES } from './addresses.ts';

const run = promisify(execFile);

/** The values that a kubelet requires. It would write them, and they belong to the whole machine. */
const KERNEL_SETTINGS: Readonly<Record<string, string>> = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};

/** Prepares the namespaces in which this process runs: mounts, interfaces, addresses and routes. */
export async function prepareNamespaces(dir: string): Promise<void> {
  await hideKernelSettings(dir);
  for (const command of networkCommands()) {
    const [program = '', ...args] = command.split(' ');
    await run(program, args);
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
  await writeFile(`/proc/sys/net/ipv4/conf/${ADDRESSES.bridge}/route_localnet`, '1');
}

/** Mounts a file with the required value over each setting, so that the kubelet finds nothing to change. */
async function hideKernelSettings(dir: string): Promise<void> {
  for (const [name, value] of Object.entries(KERNEL_SETTINGS)) {
    const path = join(dir, name.replaceAll('/', '-'));
    await writeFile(path, `${value}\n`);
    await run('mount', ['--bind', path, `/proc/sys/${name}`]);
  }
}

function networkCommands(): string[] {
  const { bridge, node, outside, services } = ADDRESSES;
  const toLoopback = `-d ${outside} -p tcp -j DNAT --to-destination 127.0.0.1`;
  return [
    'ip link set lo up',
    `ip link add name ${bridge} type bridge`,
    `ip address add ${node}/24 dev ${bridge}`,
    `ip address add ${outside}/32 dev ${bridge}`,
    `ip link set ${bridge} up`,
    // Without a route, the kernel refuses a connection before kube-proxy's rules replace the address of the Service.
    `ip route add ${services} dev ${bridge}`,
    `iptables -w -t nat -A PREROUTING ${toLoopback}`,
    `iptables -w -t nat -A OUTPUT ${toLoopback}`,
  ];
}
