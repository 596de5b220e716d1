import { ClusterError } from './cluster-error.ts';
import type { Manifest } from './cluster-types.ts';
import type { KubeApi } from './kube-api.ts';

interface Resource {
  /** Plural, or plural and subresource. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

/** Applies objects by their kinds, which it looks up once. */
export function createApply(api: KubeApi): (objects: readonly Manifest[]) => Promise<void> {
  const known = new Map<string, Resource>();
  async function resourceOf({ apiVersion, kind }: Manifest): Promise<Resource> {
    const key = `${apiVersion} ${kind}`;
    if (!known.has(key)) {
      const { resources } = await api.get<{ resources: readonly Resource[] }>(groupPath(apiVersion));
      for (const one of resources.filter(({ name }) => !name.includes('/')))
        known.set(`${apiVersion} ${one.kind}`, one);
    }
    const found = known.get(key);
    if (found === undefined) throw new ClusterError(`The API server has no kind ${kind} in ${apiVersion}.`);
    return found;
  }
  return async (objects) => {
    for (const object of objects) {
      const { name: plural, namespaced } = await resourceOf(object);
      const { name, namespace = 'default' } = object.metadata;
      const folder = namespaced ? `/namespaces/${namespace}` : '';
      await api.apply(`${groupPath(object.apiVersion)}${folder}/${plural}/${name}`, object);
    }
  };
}
