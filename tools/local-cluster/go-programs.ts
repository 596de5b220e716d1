import { join } from 'node:path';
import costs from './build-costs.json' with { type: 'json' };
import type { GoProgram } from './go-program.ts';
import {
  goModuleFolder,
  type KubernetesVersion,
  kubernetesOf,
  minorNumber,
  minorOf,
} from './kubernetes-versions.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Older releases are not supported. */
const FIRST_TAG = 33;

/** `kubernetes1.33` and so on up to this release, for the files in go/ whose calls differ between releases. */
function versionTags({ version }: KubernetesVersion): readonly string[] {
  const last = minorNumber(version);
  return Array.from(
    { length: Math.max(0, last - FIRST_TAG + 1) },
    (_, index) => `kubernetes1.${FIRST_TAG + index}`,
  );
}

export const CLUSTER_PROGRAM: GoProgram = {
  name: 'cluster',
  what: 'control plane with kubectl and helm',
  folder: join(import.meta.dirname, 'go'),
  tags: versionTags(kubernetesOf('default')),
  costs: costs.cluster,
  coldPackages: [
    'k8s.io/apiextensions-apiserver/...',
    'k8s.io/apiserver/pkg/admission/...',
    'k8s.io/apiserver/pkg/authentication/...',
    'k8s.io/apiserver/pkg/server/...',
    'k8s.io/apiserver/plugin/...',
    'k8s.io/client-go/applyconfigurations/...',
    'k8s.io/client-go/informers/...',
    'k8s.io/client-go/kubernetes/...',
    'k8s.io/client-go/listers/...',
    'k8s.io/cli-runtime/...',
    'k8s.io/cloud-provider/...',
    'k8s.io/controller-manager/...',
    'k8s.io/dynamic-resource-allocation/...',
    'k8s.io/kube-aggregator/...',
    'k8s.io/kube-scheduler/...',
    'k8s.io/kubectl/...',
    'k8s.io/kubernetes/...',
    'k8s.io/metrics/...',
    'k8s.io/pod-security-admission/...',
    'github.com/Masterminds/...',
    'github.com/ProtonMail/...',
    'github.com/cloudflare/...',
    'github.com/spf13/...',
    'helm.sh/...',
    'oras.land/...',
    'sigs.k8s.io/controller-runtime/...',
    'sigs.k8s.io/kustomize/...',
  ],
};

/** The control plane of another release, with its kubectl and without helm. */
export function controlPlaneProgram(kubernetes: KubernetesVersion): GoProgram {
  if (kubernetes.role === 'default') return CLUSTER_PROGRAM;
  return {
    ...CLUSTER_PROGRAM,
    name: `cluster-${minorOf(kubernetes.version)}`,
    what: `control plane of Kubernetes ${kubernetes.version}`,
    module: join(ROOT, goModuleFolder(kubernetes)),
    without: ['helm.go'],
    tags: versionTags(kubernetes),
  };
}

/** Built only for the tests that need its security token service. */
export const MINIO_PROGRAM: GoProgram = {
  name: 'minio',
  what: 'S3 server with a security token service',
  folder: join(import.meta.dirname, 'go-minio'),
  costs: costs.minio,
  coldPackages: [
    'github.com/Azure/...',
    'cloud.google.com/...',
    'google.golang.org/...',
    'github.com/IBM/...',
  ],
};

/** Built only for the test of its queues. */
export const KUEUE_PROGRAM: GoProgram = {
  name: 'kueue',
  what: 'Kueue controller',
  folder: join(import.meta.dirname, 'go-kueue'),
  package: 'sigs.k8s.io/kueue/cmd/kueue',
  costs: costs.kueue,
  coldPackages: [
    'github.com/...',
    'go.opentelemetry.io/...',
    'google.golang.org/...',
    'k8s.io/...',
    'sigs.k8s.io/...',
  ],
};

export const STORE_PROGRAM: GoProgram = {
  name: 'store',
  what: 'S3 server',
  folder: join(import.meta.dirname, 'go-store'),
  costs: costs.store,
  // The server uses only the types of the client.
  coldPackages: ['github.com/aws/...'],
};
