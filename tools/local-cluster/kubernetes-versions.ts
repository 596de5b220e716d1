/**
 * The releases of Kubernetes that zipjobs is tested with. The Go modules in kubernetes/, `npm run test:extended`, the
 * workflow Daily, `kubeVersion` of the chart and the table in docs/install.md follow from this list. After a change, run
 * `node scripts/write-go-modules.ts` and `npm run docs`. Imports no package, so that a workflow can read it
 * without installing any.
 */
export type KubernetesRole = 'oldest' | 'default' | 'between' | 'newest';

export interface KubernetesVersion {
  /** When it is tested: the default for every change, the one between each night, the others by `npm run test:extended`. */
  readonly role: KubernetesRole;
  readonly version: string;
  /** Staging modules at another patch release, because a module proxy lacks the one that belongs to `version`. */
  readonly staging?: Readonly<Record<string, string>>;
}

export const KUBERNETES_VERSIONS: readonly KubernetesVersion[] = [
  { role: 'oldest', version: '1.32.13', staging: { 'k8s.io/endpointslice': 'v0.32.12' } },
  { role: 'default', version: '1.35.4' },
  { role: 'between', version: '1.36.3' },
  { role: 'newest', version: '1.37.2' },
];

/** Names the Kubernetes of local clusters, by its role or as `1.32`. */
const KUBERNETES_VARIABLE = 'ZIPJOBS_KUBERNETES';

/** `1.32` of `1.32.13`. */
export function minorOf(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** The second number: minor versions of Kubernetes count up within 1. */
export function minorNumber(version: string): number {
  return Number(version.split('.')[1]);
}

/** The entry with this role or minor version; undefined if there is none. */
export function findKubernetes(name: string): KubernetesVersion | undefined {
  return KUBERNETES_VERSIONS.find(({ role, version }) => name === role || name === minorOf(version));
}

export function kubernetesOf(role: KubernetesRole): KubernetesVersion {
  const found = findKubernetes(role);
  if (found === undefined) throw new Error(`kubernetes-versions.ts has no version with the role "${role}"`);
  return found;
}

/** The release that local clusters of this process run. */
export function chosenKubernetes(env: NodeJS.ProcessEnv = process.env): KubernetesVersion {
  const name = env[KUBERNETES_VARIABLE] || 'default';
  const found = findKubernetes(name);
  if (found !== undefined) return found;
  const known = KUBERNETES_VERSIONS.map(({ role, version }) => `${minorOf(version)} (${role})`).join(', ');
  throw new Error(`${KUBERNETES_VARIABLE} is "${name}". Set it to one of: ${known}`);
}

/** The folder of its Go module, from the root of the repository. */
export function goModuleFolder({ role, version }: KubernetesVersion): string {
  return role === 'default' ? 'tools/local-cluster/go' : `tools/local-cluster/kubernetes/${minorOf(version)}`;
}
