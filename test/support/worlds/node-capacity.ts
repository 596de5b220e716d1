import type { RealCluster } from '#tools/real-node/real-cluster.ts';

interface Requests {
  readonly cpu?: string;
  readonly memory?: string;
}

interface Pod {
  readonly spec: {
    readonly nodeName?: string;
    readonly containers: readonly { readonly resources?: { readonly requests?: Requests } }[];
  };
  readonly status?: { readonly phase?: string };
}

/** Requests of pods as numbers. */
export interface Capacity {
  readonly cpu: number;
  readonly memoryBytes: number;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, m: 1e-3, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** The number that a quantity of Kubernetes means. */
function quantityOf(text: string): number {
  const [, digits = '', unit = ''] = /^([\d.]+)(.*)$/.exec(text) ?? [];
  const factor = UNITS[unit];
  if (factor === undefined) throw new Error(`unknown unit of the quantity ${text}`);
  return Number(digits) * factor;
}

/** As the scheduler counts it: what is allocatable, less the requests of the pods that have not ended. */
export async function freeCapacity(cluster: RealCluster): Promise<Capacity> {
  const { name } = cluster.node;
  const { status } = await cluster.read<{ status: { allocatable: Required<Requests> } }>(
    `/api/v1/nodes/${name}`,
  );
  const { items } = await cluster.read<{ items: readonly Pod[] }>('/api/v1/pods');
  const requests = items
    .filter(({ spec }) => spec.nodeName === name)
    .filter((pod) => !['Succeeded', 'Failed'].includes(pod.status?.phase ?? ''))
    .flatMap(({ spec }) => spec.containers.map(({ resources }) => resources?.requests ?? {}));
  function free(resource: keyof Requests): number {
    return requests.reduce(
      (left, request) => left - quantityOf(request[resource] ?? '0'),
      quantityOf(status.allocatable[resource]),
    );
  }
  return { cpu: free('cpu'), memoryBytes: free('memory') };
}

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}

/** What a release requests for a zipper. Takes the path of its controller's Deployment. */
export async function zipperRequests(cluster: RealCluster, controllerPath: string): Promise<Capacity> {
  const { spec } = await cluster.read<Deployment>(controllerPath);
  const env = spec.template.spec.containers[0]?.env ?? [];
  const resources = env.find(({ name }) => name === 'ZIPPER_RESOURCES_JSON')?.value ?? '{}';
  const { requests } = JSON.parse(resources) as { readonly requests: Required<Requests> };
  return { cpu: quantityOf(requests.cpu), memoryBytes: quantityOf(requests.memory) };
}
