/** The pure part of kubernetes-versions.ts: the texts that name versions of Kubernetes. */
import {
  type KubernetesRole,
  type KubernetesVersion,
  minorNumber,
} from '#tools/local-cluster/kubernetes-versions.ts';

const BEGIN = '<!-- begin Kubernetes versions -->';
const END = '<!-- end Kubernetes versions -->';
const TESTED: Readonly<Record<KubernetesRole, string>> = {
  oldest: 'by `npm run test:extended`',
  default: 'for every change',
  between: 'each night',
  newest: 'by `npm run test:extended`',
};
/** Of the requirements. Other sentences name the version that has some feature. */
const REQUIREMENT = /\bKubernetes \d+\.\d+ or newer(?=,? (?:and )?Helm )/g;
const KUBE_VERSION = /^kubeVersion: .*$/m;
const GO_MODULE = /^\s*(?:require )?k8s\.io\/kubernetes v(\S+)$/m;

/** Each minor version from the newest to the oldest of the list, also those that are not tested. */
export function supportTable(versions: readonly KubernetesVersion[]): string {
  const byMinor = new Map(versions.map((one) => [minorNumber(one.version), one]));
  const [oldest, newest] = [Math.min(...byMinor.keys()), Math.max(...byMinor.keys())];
  const rows = Array.from({ length: newest - oldest + 1 }, (_, index) => {
    const minor = newest - index;
    const found = byMinor.get(minor);
    return `| 1.${minor} | ${found === undefined ? 'between tested versions' : `${found.version}, ${TESTED[found.role]}`} |`;
  });
  return ['| Kubernetes | integration tests run on |', '|---|---|', ...rows].join('\n');
}

/** @throws Error if the page has no place for the table */
export function withSupport(page: string, table: string): string {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`the page has no block between ${BEGIN} and ${END}`);
  return `${page.slice(0, start)}${BEGIN}\n${table}\n${page.slice(end)}`;
}

export function withOldest(page: string, oldest: string): string {
  return page.replace(REQUIREMENT, `Kubernetes ${oldest} or newer`);
}

/** The suffix also accepts pre-releases, such as the names of managed clusters: `1.32.1-eks-1234`. */
export function withKubeVersion(chart: string, oldest: string): string {
  return chart.replace(KUBE_VERSION, `kubeVersion: ">=${oldest}.0-0"`);
}

export function goModuleVersion(goMod: string): string | undefined {
  return GO_MODULE.exec(goMod)?.[1];
}
