import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { NodelessCluster } from '../local-cluster/cluster-types.ts';
import { ServerProcess } from '../local-cluster/server-process.ts';
import { ADDRESSES } from './addresses.ts';
import { ctr } from './containers.ts';
import { startDns } from './dns.ts';
import { writeNodeFiles } from './node-files.ts';

const READY_LIMIT_MS = 90_000;
/** A kubelet ends while containerd is still reading its state. On other nodes a service manager starts it again. */
const KUBELET_STARTS = 20;
const NODE_NAME = 'real';

export interface NodeOptions {
  readonly dir: string;
  readonly cluster: NodelessCluster;
  /** kubelet, kube-proxy and CoreDNS. */
  readonly program: string;
  /** The program that ends a server when this process ends. */
  readonly launcher: string;
  /** Archive of images to import. */
  readonly images: string;
  /** The parent of all cgroups. */
  readonly cgroup: string;
}

/** A node with a kubelet, containerd, kube-proxy and CoreDNS. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  /** The parent of all cgroups of pods. */
  readonly cgroup: string;
  /** Kills kubelet and containerd, and starts them again. Containers keep running. Resolves when the node is ready. */
  restart(): Promise<void>;
}

interface Node extends NodeOptions {
  readonly kubeconfigPath: string;
  readonly files: Awaited<ReturnType<typeof writeNodeFiles>>;
}

/** Starts the node in the namespaces of this process. Disposing it kills its servers; containers end with the namespaces. */
export async function startRealNode(options: NodeOptions): Promise<RealNode> {
  await using started = new AsyncDisposableStack();
  const node = await prepareNode(options);
  const running = new Map<string, ServerProcess>();
  started.defer(async () => {
    await Promise.all([...running.values()].map((server) => server.kill()));
  });
  async function start(name: string, command: readonly string[]): Promise<ServerProcess> {
    const { launcher, dir } = options;
    const server = await ServerProcess.start({
      name,
      launcher,
      command,
      logPath: join(dir, 'logs', `${name}.log`),
    });
    running.set(name, server);
    return server;
  }
  async function startRuntime(): Promise<void> {
    const containerd = await start('containerd', [
      '/usr/bin/env',
      'containerd',
      '--config',
      node.files.containerd,
    ]);
    await containerd.ready(async () => (await ctr('version')) !== '', READY_LIMIT_MS);
  }
  async function startKubelet(since?: Date): Promise<void> {
    for (let left = KUBELET_STARTS; left > 0; left -= 1) {
      const kubelet = await start('kubelet', kubeletCommand(node));
      try {
        await kubelet.ready(() => isReady(options.cluster, since), READY_LIMIT_MS);
        return;
      } catch (error) {
        if (left === 1 || !kubelet.ended) throw error;
      }
    }
  }
  await startRuntime();
  await ctr('images', 'import', options.images);
  await startKubelet();
  await start('kube-proxy', await kubeProxyCommand(node));
  await startDns(node, start);
  const resources = started.move();
  return {
    name: NODE_NAME,
    cgroup: options.cgroup,
    restart: async () => {
      const since = new Date();
      for (const name of ['kubelet', 'containerd']) await running.get(name)?.kill();
      await startRuntime();
      await startKubelet(since);
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

async function prepareNode(options: NodeOptions): Promise<Node> {
  const { dir, cluster, cgroup } = options;
  await mkdir(join(dir, 'logs'), { recursive: true });
  const commonName = `system:node:${NODE_NAME}`;
  const kubeconfigPath = await cluster.kubeconfigFor({ commonName, organizations: ['system:nodes'] });
  const files = await writeNodeFiles({ dir, cgroup, caPath: cluster.apiServer.caPath });
  return { ...options, kubeconfigPath, files };
}

function kubeletCommand({ program, dir, kubeconfigPath, files }: Node): string[] {
  return [
    program,
    'kubelet',
    `--config=${files.kubelet}`,
    `--kubeconfig=${kubeconfigPath}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${ADDRESSES.node}`,
    `--root-dir=${join(dir, 'kubelet')}`,
    `--cert-dir=${join(dir, 'kubelet', 'pki')}`,
  ];
}

async function kubeProxyCommand({ program, cluster }: Node): Promise<string[]> {
  const kubeconfigPath = await cluster.kubeconfigFor({ commonName: 'system:kube-proxy' });
  return [
    program,
    'kube-proxy',
    `--kubeconfig=${kubeconfigPath}`,
    `--hostname-override=${NODE_NAME}`,
    '--proxy-mode=iptables',
    `--cluster-cidr=${ADDRESSES.pods}`,
    // A pod reaches another one on the same bridge directly, so only the node's address leads the response back through its rules.
    '--masquerade-all',
    // The limit belongs to the whole machine.
    '--conntrack-max-per-core=0',
    '--conntrack-min=0',
  ];
}

interface NodeStatus {
  readonly status: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastHeartbeatTime: string;
    }[];
  };
}

/** @param since - Only reports of the kubelet after this time count. */
async function isReady(cluster: NodelessCluster, since = new Date(0)): Promise<boolean> {
  const { status } = await cluster.read<NodeStatus>(`/api/v1/nodes/${NODE_NAME}`);
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && new Date(ready.lastHeartbeatTime) >= since;
}
