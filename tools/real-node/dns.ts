import type { NodelessCluster } from '../local-cluster/cluster-types.ts';
import type { ServerProcess } from '../local-cluster/server-process.ts';
import { ADDRESSES } from './addresses.ts';
import { writeCorefile } from './node-files.ts';

const USER = 'coredns';
const READY_LIMIT_MS = 60_000;
const LABELS = { 'kubernetes.io/service-name': 'kube-dns' };

/** Starts CoreDNS beside the pods: the Service `kube-dns` has no selector, and its endpoint is the node. */
export async function startDns(
  at: { readonly dir: string; readonly cluster: NodelessCluster; readonly program: string },
  start: (name: string, command: readonly string[]) => Promise<ServerProcess>,
): Promise<void> {
  const { dir, cluster, program } = at;
  await cluster.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...permissions(), ...service()] }),
  });
  const kubeconfigPath = await cluster.kubeconfigFor({ commonName: USER });
  const corefile = await writeCorefile(dir, kubeconfigPath);
  const server = await start('coredns', [program, 'coredns', '-conf', corefile]);
  await server.ready(async () => (await fetch('http://127.0.0.1:8181/ready')).ok, READY_LIMIT_MS);
}

function permissions(): unknown[] {
  const verbs = ['list', 'watch'];
  const metadata = { name: USER };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  return [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata,
      rules: [
        { apiGroups: [''], resources: ['services', 'namespaces', 'pods'], verbs },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs },
      ],
    },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: USER },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
    },
  ];
}

function service(): unknown[] {
  const metadata = { name: 'kube-dns', namespace: 'kube-system' };
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { clusterIP: ADDRESSES.dns, ports } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: LABELS },
      addressType: 'IPv4',
      endpoints: [{ addresses: [ADDRESSES.node], conditions: { ready: true } }],
      ports,
    },
  ];
}
