import type { ConfigOf, Settings } from '../../config/config.ts';
import type { ValuesOf } from '../../config/unsupported-settings.ts';

/** The settings of every process that connects to the API server. */
export const KUBE_SETTINGS = {
  kubeconfig: {
    env: 'KUBECONFIG',
    type: 'string',
    default: '',
    description: 'kubeconfig file, for use outside a cluster; empty for the identity of the pod',
    changeWhen: 'set it when the process runs outside the cluster',
  },
  serviceAccountDir: {
    env: 'SERVICE_ACCOUNT_DIR',
    type: 'string',
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
    description: "directory with the pod's token and ca.crt",
    setBy: 'the chart',
  },
  kubernetesHost: {
    env: 'KUBERNETES_SERVICE_HOST',
    type: 'string',
    default: '',
    description: 'address of the API server, set by the kubelet',
    setBy: 'the kubelet',
  },
  kubernetesPort: {
    env: 'KUBERNETES_SERVICE_PORT',
    type: 'integer',
    minimum: 1,
    maximum: 65535,
    default: 443,
    description: 'port of the API server, set by the kubelet',
    setBy: 'the kubelet',
  },
} as const satisfies Settings;

export const KUBE_CONSTANTS = {
  /** Time limit of one call to the API server: it responds within seconds, or is away. */
  kubeRequestTimeoutMs: 30_000,
};
export type KubeSettings = ConfigOf<typeof KUBE_SETTINGS> & ValuesOf<typeof KUBE_CONSTANTS>;
