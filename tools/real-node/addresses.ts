/** Addresses inside the namespaces of a node. Nothing outside of them has a route there. */
export const ADDRESSES = {
  bridge: 'zipjobs0',
  /** The node, which is also the address of the API server. Containers reach it at their gateway. */
  node: '10.244.0.1',
  pods: '10.244.0.0/24',
  /** Stands for the network outside of the cluster: every TCP port leads to the same port of loopback. */
  outside: '10.245.0.1',
  services: '10.96.0.0/16',
  dns: '10.96.0.10',
} as const;

export const CLUSTER_DOMAIN = 'cluster.local';
