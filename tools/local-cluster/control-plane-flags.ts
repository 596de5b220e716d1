/** The flags of the programs of the control plane. */
import { join } from 'node:path';

const ISSUER = 'https://kubernetes.default.svc';

export function etcdFlags(dir: string, port: number, peerPort: number): string[] {
  const url = `http://127.0.0.1:${port}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  return [
    `--data-dir=${join(dir, 'etcd')}`,
    // The data is deleted with the cluster, so fsync would only slow it down.
    '--unsafe-no-fsync',
    // The largest size that etcd supports; its default is 2 GiB.
    `--quota-backend-bytes=${8 * 2 ** 30}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    `--listen-peer-urls=${peerUrl}`,
    `--initial-advertise-peer-urls=${peerUrl}`,
    `--initial-cluster=default=${peerUrl}`,
  ];
}

/** Those of Kubernetes that OpenShift enables too. They only refuse more, so what passes with them passes without. */
const OPENSHIFT_PLUGINS = [
  'OwnerReferencesPermissionEnforcement',
  'PodNodeSelector',
  'PodTolerationRestriction',
];

export function apiServerFlags(at: {
  dir: string;
  certificates: string;
  apiPort: number;
  etcdPort: number;
}): string[] {
  function file(name: string): string {
    return join(at.certificates, name);
  }
  return [
    `--etcd-servers=http://127.0.0.1:${at.etcdPort}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${at.apiPort}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--service-account-issuer=${ISSUER}`,
    `--service-account-key-file=${file('service-accounts.pub')}`,
    `--service-account-signing-key-file=${file('service-accounts.key')}`,
    `--encryption-provider-config=${join(at.dir, 'encryption.json')}`,
    `--authentication-config=${join(at.dir, 'authentication.json')}`,
    '--authorization-mode=Node,RBAC',
    `--enable-admission-plugins=${['NodeRestriction', ...OPENSHIFT_PLUGINS].join(',')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    // The Service `kubernetes` cannot have a loopback endpoint. Pods get the address from their env instead.
    '--endpoint-reconciler-type=none',
    // For `kubectl logs`, which the node serves.
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('admin.crt')}`,
    `--kubelet-client-key=${file('admin.key')}`,
    '--profiling=false',
  ];
}

export function controllerManagerFlags(
  kubeconfig: string,
  { certificates, jobBackoffMs }: { readonly certificates: string; readonly jobBackoffMs: number },
): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--use-service-account-credentials',
    `--service-account-private-key-file=${join(certificates, 'service-accounts.key')}`,
    `--root-ca-file=${join(certificates, 'ca.crt')}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=300',
    '--kube-api-burst=600',
    // Detects a lost node within the time of a test. The default of Kubernetes is 50 s.
    '--node-monitor-period=1s',
    '--node-monitor-grace-period=16s',
    `--job-pod-failure-backoff=${jobBackoffMs}ms`,
  ];
}

export function schedulerFlags(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=300',
    '--kube-api-burst=600',
  ];
}
