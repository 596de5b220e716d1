import { isIPv6 } from 'node:net';
import { LABELS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { IpBlock } from '#runtime/egress/ip-blocks.ts';
import type { KubeObject } from '#runtime/kube/types.ts';
import { controllerReferenceOf } from '../cluster/ownership.ts';
import type { AddressPort } from './stores-at-api-server.ts';

/** The desired object, for a server-side apply. */
export type Wanted = KubeObject & Readonly<Record<string, unknown>>;

/** Destinations of the zippers of every project; absent if NetworkPolicies are disabled. */
export interface ZipperNetwork {
  /** In addition to DNS and the API server. */
  readonly open: readonly IpBlock[];
  readonly storesAtApiServer: readonly AddressPort[];
  readonly apiServerCidrs: readonly string[];
  readonly apiServerPorts: readonly number[];
}

function childMeta(project: ZipProject) {
  return {
    name: ZIPPER_SERVICE_ACCOUNT,
    namespace: project.metadata.namespace,
    labels: { [LABELS.partOf]: 'zipjobs', [LABELS.managedBy]: 'zipjobs-controller' },
    ownerReferences: [controllerReferenceOf(project, 'ZipProject')],
  };
}

/** The identity of the zippers in a project. Pods that need its token mount it explicitly. */
export function zipperServiceAccount(project: ZipProject): Wanted {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: childMeta(project),
    automountServiceAccountToken: false,
  };
}

/** Lets the zippers of a project patch the status of its ZipJobs; admission policies narrow that to their own. */
export function zipperRoleBinding(project: ZipProject): Wanted {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: childMeta(project),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: ZIPPER_SERVICE_ACCOUNT },
    subjects: [
      { kind: 'ServiceAccount', name: ZIPPER_SERVICE_ACCOUNT, namespace: project.metadata.namespace },
    ],
  };
}

/** Network plugins compare the port after address translation, and the DNS pods of OpenShift listen on 5353. */
const DNS_PORTS = [53, 5353];

/**
 * Denies ingress. Allows DNS lookups (resolvers can have link-local addresses, so only the port is restricted), requests to
 * the API server, and connections that the egress policy allows.
 */
export function zipperNetworkPolicy(project: ZipProject, network: ZipperNetwork): Wanted {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: childMeta(project),
    spec: {
      podSelector: {
        matchLabels: { [LABELS.name]: 'zipjobs-zipper', [LABELS.managedBy]: 'zipjobs-controller' },
      },
      policyTypes: ['Ingress', 'Egress'],
      egress: [
        { ports: DNS_PORTS.flatMap((port) => ['UDP', 'TCP'].map((protocol) => ({ protocol, port }))) },
        {
          to: network.apiServerCidrs.map((cidr) => ({ ipBlock: { cidr } })),
          ports: network.apiServerPorts.map((port) => ({ protocol: 'TCP', port })),
        },
        // A rule without destinations would allow all of them.
        ...(network.open.length > 0 ? [{ to: network.open.map((ipBlock) => ({ ipBlock })) }] : []),
        ...network.storesAtApiServer.map(({ address, port }) => ({
          to: [{ ipBlock: { cidr: `${address}/${isIPv6(address) ? 128 : 32}` } }],
          ports: [{ protocol: 'TCP', port }],
        })),
      ],
    },
  };
}
