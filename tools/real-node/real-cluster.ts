import { ensureBinaries, ensureProgram } from '../local-cluster/binaries.ts';
import { startNodelessCluster } from '../local-cluster/cluster.ts';
import { ClusterError } from '../local-cluster/cluster-error.ts';
import type { Log, NodelessCluster } from '../local-cluster/cluster-types.ts';
import { ADDRESSES } from './addresses.ts';
import { NODE_ENV } from './environment.ts';
import { prepareNamespaces } from './namespaces.ts';
import { NODE_PROGRAM } from './node-program.ts';
import { type RealNode, startRealNode } from './real-node.ts';

/** The control plane and the S3 server of the local cluster, and a real node. */
export interface RealCluster extends NodelessCluster {
  readonly node: RealNode;
}

const API_SERVER_FLAGS = [
  // Pods reach it at the node's address, through the Service `kubernetes`.
  '--bind-address=0.0.0.0',
  `--advertise-address=${ADDRESSES.node}`,
  '--endpoint-reconciler-type=lease',
  // The kubelet signs its own certificate.
  '--kubelet-certificate-authority=',
];

/**
 * Starts a cluster with a real node in the namespaces that main.ts created.
 * @throws ClusterError if this process was not started by main.ts, or if a part does not start
 */
export async function startRealCluster(log: Log): Promise<RealCluster> {
  const { [NODE_ENV.dir]: dir, [NODE_ENV.cgroup]: cgroup, [NODE_ENV.images]: images } = process.env;
  const { [NODE_ENV.jobBackoffMs]: jobBackoffMs } = process.env;
  if (dir === undefined || cgroup === undefined || images === undefined)
    throw new ClusterError('A real node needs namespaces of its own. Run: npm run test:node');
  await using started = new AsyncDisposableStack();
  await prepareNamespaces(dir);
  log('Starting the control plane');
  const cluster = started.use(
    await startNodelessCluster({
      apiServerFlags: API_SERVER_FLAGS,
      log,
      ...(jobBackoffMs !== undefined && { jobBackoffMs: Number(jobBackoffMs) }),
    }),
  );
  const { cluster: launcher } = await ensureBinaries(log);
  const program = await ensureProgram(NODE_PROGRAM, log);
  log('Starting the node');
  const node = started.use(await startRealNode({ dir, cluster, program, launcher, images, cgroup }));
  log(`Node ${node.name} is ready`);
  const resources = started.move();
  return {
    ...cluster,
    store: { ...cluster.store, endpoint: outsideUrl(cluster.store.endpoint) },
    node,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** The URL at which pods reach a server that listens on 127.0.0.1. */
export function outsideUrl(url: string): string {
  return url.replace('127.0.0.1', ADDRESSES.outside);
}
