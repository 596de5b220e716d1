import type { ConfigOf, Settings } from '../config.ts';

/** The settings of every process that connects to the API server. */
export const KUBE_SETTINGS = {
  kubeconfig: {
    env: 'KUBECONFIG',
    type: 'string',
    default: '',
    description: 'kubeconfig file, for use outside a cluster; empty for the identity of the pod',
  },
  serviceAccountDir: {
    env: 'SERVICE_ACCOUNT_DIR',
    type: 'string',
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
    description: "directory with the pod's token and ca.crt",
  },
  kubernetesHost: {
    env: 'KUBERNETES_SERVICE_HOST',
    type: 'string',
    default: '',
    description: 'address of the API server, set by the kubelet',
  },
  kubernetesPort: {
    env: 'KUBERNETES_SERVICE_PORT',
    type: 'integer',
    minimum: 1,
    maximum: 65535,
    default: 443,
    description: 'port of the API server, set by the kubelet',
  },
  kubeRequestTimeoutMs: {
    env: 'KUBE_REQUEST_TIMEOUT_MS',
    type: 'integer',
    minimum: 100,
    default: 30_000,
    description: 'time limit of one call to the API server, in milliseconds',
  },
} as const satisfies Settings;
export type KubeSettings = ConfigOf<typeof KUBE_SETTINGS>;
