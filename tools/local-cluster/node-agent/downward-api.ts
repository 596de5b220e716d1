import type { Container, Pod, ResourceFieldRef, Resources } from './pod-types.ts';
import { parseQuantity } from './quantity.ts';

/** The parts of a pod that its containers can read. */
export interface DownwardView {
  readonly pod: Pod;
  readonly podIP: string;
  readonly hostIP: string;
  readonly nodeName: string;
}

/** Capacity of the node, which is also the limit of a container without limits. */
export const NODE_RESOURCES = { cpu: '32', memory: '64Gi', 'ephemeral-storage': '200Gi' } as const;

const KEYED = /^metadata\.(labels|annotations)\['(.+)'\]$/;

/** Value of a fieldRef. Like in Kubernetes, an absent label or annotation is empty. */
export function fieldValue(fieldPath: string, view: DownwardView): string {
  const keyed = KEYED.exec(fieldPath);
  if (keyed !== null) return entriesOf(keyed[1], view.pod)[keyed[2] ?? ''] ?? '';
  const values = fieldValues(view);
  const value = values[fieldPath];
  if (value === undefined) throw new Error(`the local node does not know the field ${fieldPath}`);
  return value;
}

function fieldValues(view: DownwardView): Readonly<Record<string, string>> {
  const { metadata, spec } = view.pod;
  return {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': asLines(metadata.labels),
    'metadata.annotations': asLines(metadata.annotations),
    'spec.nodeName': view.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName ?? 'default',
    'status.podIP': view.podIP,
    'status.podIPs': view.podIP,
    'status.hostIP': view.hostIP,
    'status.hostIPs': view.hostIP,
  };
}

function entriesOf(kind: string | undefined, pod: Pod): Readonly<Record<string, string>> {
  return (kind === 'labels' ? pod.metadata.labels : pod.metadata.annotations) ?? {};
}

function asLines(entries: Readonly<Record<string, string>> = {}): string {
  return Object.keys(entries)
    .sort()
    .map((key) => `${key}=${JSON.stringify(entries[key])}`)
    .join('\n');
}

/** Value of a resourceFieldRef such as `limits.memory`, in units of its divisor, rounded up. */
export function resourceValue(
  ref: ResourceFieldRef,
  containers: readonly Container[],
  own?: Container,
): string {
  const container = containers.find(({ name }) => name === ref.containerName) ?? own;
  const quantity = quantityOf(ref.resource, container?.resources ?? {});
  const divisor = ref.divisor === undefined || ref.divisor === '0' ? '1' : ref.divisor;
  return String(Math.ceil(parseQuantity(quantity) / parseQuantity(divisor)));
}

function quantityOf(resource: string, { limits = {}, requests = {} }: Resources): string {
  const [kind, name = ''] = resource.split(/\.(.*)/s);
  if (kind !== 'limits') return requests[name] ?? '0';
  const whole: Readonly<Record<string, string>> = NODE_RESOURCES;
  return limits[name] ?? whole[name] ?? '0';
}
