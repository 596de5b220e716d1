import type { KubeObject, ResourceDefinition } from '../types.ts';
import { KubeError } from './kube-error.ts';

function segment(value: string, what: string): string {
  // An empty name would address all objects instead of one; the other values would change the path.
  if (value === '' || value === '.' || value === '..' || /[/%]/.test(value)) {
    throw new KubeError(`'${value.slice(0, 80)}' is not a valid ${what} of an object`, {
      code: 'BadRequest',
    });
  }
  return encodeURIComponent(value);
}

type Definition = Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'scope'>;

/** Path of all objects, in one namespace or in all of them (undefined). */
export function collectionPath(definition: Definition, namespace?: string): string {
  const root = definition.apiVersion.includes('/')
    ? `/apis/${definition.apiVersion}`
    : `/api/${definition.apiVersion}`;
  const scope =
    definition.scope === 'Cluster' || namespace === undefined
      ? ''
      : `/namespaces/${segment(namespace, 'namespace')}`;
  return `${root}${scope}/${definition.plural}`;
}

export interface ObjectTarget {
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: 'status' | undefined;
}

export function objectPath(definition: Definition, target: ObjectTarget): string {
  const path = `${collectionPath(definition, target.namespace)}/${segment(target.name, 'name')}`;
  return target.subresource === undefined ? path : `${path}/${target.subresource}`;
}
