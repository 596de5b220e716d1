import { join } from 'node:path';
import costs from '../local-cluster/build-costs.json' with { type: 'json' };
import type { GoProgram } from '../local-cluster/go-program.ts';
import { CLUSTER_PROGRAM } from '../local-cluster/go-programs.ts';

/** kubelet, kube-proxy and CoreDNS. With the options of the control plane, it uses the packages that are already compiled. */
export const NODE_PROGRAM: GoProgram = {
  name: 'node',
  what: 'kubelet with kube-proxy and CoreDNS',
  folder: join(import.meta.dirname, 'go'),
  coldPackages: CLUSTER_PROGRAM.coldPackages,
  costs: { ...costs.cluster, cpuSeconds: 120 },
};
