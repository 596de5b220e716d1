import { join } from 'node:path';
import costs from './build-costs.json' with { type: 'json' };
import type { GoProgram } from './go-program.ts';

export const CLUSTER_PROGRAM: GoProgram = {
  name: 'cluster',
  what: 'control plane with kubectl and helm',
  folder: join(import.meta.dirname, 'go'),
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

export const STORE_PROGRAM: GoProgram = {
  name: 'store',
  what: 'S3 server',
  folder: join(import.meta.dirname, 'go-store'),
  costs: costs.store,
  // The server uses only the types of the client.
  coldPackages: ['github.com/aws/...'],
};
