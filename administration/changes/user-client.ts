import type { KubeClient } from '#runtime/kube/client/client.ts';
import { createObjectClient } from '#runtime/kube/client/object-client.ts';
import type { KubeObject, ObjectClient, ResourceDefinition } from '#runtime/kube/types.ts';
import { type Attempt, explainKubeError } from '../errors/explain-kube-error.ts';

function resourceName({ apiVersion, plural }: Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural'>) {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? plural : `${plural}.${group}`;
}

function identity({ metadata }: KubeObject): Pick<Attempt, 'namespace' | 'name'> {
  return {
    namespace: metadata.namespace,
    name: metadata.name,
  };
}

/** A list is kept in memory, and users of a namespace decide how large it is. */
const MAX_LIST_BYTES = 64 * 1_024 * 1_024;

/** An object client that throws an AdministrationError with the attempted operation, for display to the user. */
export function createUserClient<T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
): ObjectClient<T> {
  const client = createObjectClient(kube, definition);
  const resource = resourceName(definition);
  async function explained<R>(attempt: Omit<Attempt, 'resource'>, task: () => Promise<R>): Promise<R> {
    try {
      return await task();
    } catch (error) {
      throw explainKubeError({ ...attempt, resource }, error);
    }
  }
  return {
    get: (namespace, name, signal) =>
      explained({ verb: 'get', namespace, name }, () => client.get(namespace, name, signal)),
    list: (options) =>
      explained({ verb: 'list', namespace: options?.namespace }, () =>
        client.list({ maxBytes: MAX_LIST_BYTES, ...options }),
      ),
    create: (object, options) =>
      explained({ verb: 'create', ...identity(object) }, () => client.create(object, options)),
    apply: (object, options) =>
      explained({ verb: 'patch', ...identity(object) }, () => client.apply(object, options)),
    mergePatch: (target, patch, signal) =>
      explained({ verb: 'patch', namespace: target.namespace, name: target.name }, () =>
        client.mergePatch(target, patch, signal),
      ),
    replace: (object, options) =>
      explained({ verb: 'update', ...identity(object) }, () => client.replace(object, options)),
    delete: (namespace, name, options) =>
      explained({ verb: 'delete', namespace, name }, () => client.delete(namespace, name, options)),
  };
}
