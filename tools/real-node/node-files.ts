import { mkdir, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ADDRESSES, CLUSTER_DOMAIN } from './addresses.ts';

export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** Made with the images; containerd would pull its default. */
export const SANDBOX_IMAGE = 'localhost/zipjobs-sandbox:1';

/** What pods can request, and what their common cgroup limits, so that tests find out how many jobs fit on a small node. */
const ALLOCATABLE_MIB = 4096;
/** The kubelet evicts pods when less is left. */
const EVICTION_MIB = 100;

export interface NodeFileOptions {
  readonly dir: string;
  readonly caPath: string;
  readonly cgroup: string;
}

export interface NodeFiles {
  readonly containerd: string;
  readonly kubelet: string;
}

/** Writes the configuration of containerd, its network plugin and the kubelet. */
export async function writeNodeFiles(options: NodeFileOptions): Promise<NodeFiles> {
  const { dir } = options;
  function file(name: string): string {
    return join(dir, name);
  }
  await mkdir(file('cni'));
  await Promise.all([
    writeFile(file('containerd.toml'), containerdConfig(dir)),
    writeFile(join(dir, 'cni', 'pods.conflist'), JSON.stringify(podNetwork())),
    writeFile(file('resolv.conf'), `nameserver ${ADDRESSES.dns}\n`),
    writeFile(file('kubelet.yaml'), stringify(kubeletConfig(options))),
  ]);
  return {
    containerd: file('containerd.toml'),
    kubelet: file('kubelet.yaml'),
  };
}

function containerdConfig(dir: string): string {
  return `version = 2
root = "${join(dir, 'containerd')}"
state = "/run/containerd"
[grpc]
  address = "${CONTAINERD_SOCKET}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${SANDBOX_IMAGE}"
  # Only CAP_SYS_RESOURCE may lower the score of a process below its parent's.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(dir, 'cni')}"
`;
}

function podNetwork(): unknown {
  return {
    cniVersion: '0.4.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: ADDRESSES.bridge,
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: 'host-local',
          dataDir: '/run/pod-addresses',
          ranges: [[{ subnet: ADDRESSES.pods, gateway: ADDRESSES.node }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  };
}

function kubeletConfig({ dir, caPath, cgroup }: NodeFileOptions): unknown {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    address: '0.0.0.0',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: caPath },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    failCgroupV1: false,
    failSwapOn: false,
    // A restarted kubelet may report once in the second in which it was killed, and then, if nothing changes, only after five
    // minutes by default.
    nodeStatusUpdateFrequency: '2s',
    nodeStatusReportFrequency: '5s',
    // Running pods get a changed Secret after up to one and a half times this. By default that takes up to 90 s.
    syncFrequency: '20s',
    clusterDNS: [ADDRESSES.dns],
    clusterDomain: CLUSTER_DOMAIN,
    resolvConf: join(dir, 'resolv.conf'),
    volumePluginDir: join(dir, 'volume-plugins'),
    systemReserved: { memory: `${systemReservedMib()}Mi` },
    // The disk is the machine's, and its other files may fill it.
    evictionHard: {
      'memory.available': `${EVICTION_MIB}Mi`,
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
  };
}

/** All memory but that of the pods. */
function systemReservedMib(): number {
  return Math.max(0, Math.floor(totalmem() / 2 ** 20) - EVICTION_MIB - ALLOCATABLE_MIB);
}

/** Writes the configuration of CoreDNS, and returns its path. */
export async function writeCorefile(dir: string, kubeconfigPath: string): Promise<string> {
  const path = join(dir, 'Corefile');
  await writeFile(
    path,
    `.:53 {
    errors
    ready 127.0.0.1:8181
    kubernetes ${CLUSTER_DOMAIN} {
        kubeconfig ${kubeconfigPath}
    }
}

`,
  );
  return path;
}
