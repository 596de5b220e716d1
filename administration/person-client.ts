import type { KubeClient } from '#runtime/kube/client.ts';
import { createObjectClient } from '#runtime/kube/object-client.ts';
import type { KubeObject, ObjectClient, ResourceDefinition } from '#runtime/kube/types.ts';
import { type Attempt, explainKubeError } from './explain-kube-error.ts';

const resourceName = ({
  apiVersion,
  plural,
}: Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural'>) => {
  const [group, version] = apiVersion.split('/');
  return version === undefined ? plural : `${plural}.${group}`;
};

const identity = ({ metadata }: KubeObject): Pick<Attempt, 'namespace' | 'name'> => ({
  namespace: metadata.namespace,
  name: metadata.name,
});

/** An object client whose failures are told to a person: an AdministrationError with what was attempted. */
export const createPersonClient = <T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
): ObjectClient<T> => {
  const client = createObjectClient(kube, definition);
  const resource = resourceName(definition);
  const tell = async <R>(attempt: Omit<Attempt, 'resource'>, task: () => Promise<R>): Promise<R> => {
    try {
      return await task();
    } catch (error) {
      throw explainKubeError({ ...attempt, resource }, error);
    }
  };
  return {
    get: (namespace, name, signal) =>
      tell({ verb: 'get', namespace, name }, () => client.get(namespace, name, signal)),
    list: (options) => tell({ verb: 'list', namespace: options?.namespace }, () => client.list(options)),
    create: (object, options) =>
      tell({ verb: 'create', ...identity(object) }, () => client.create(object, options)),
    apply: (object, options) =>
      tell({ verb: 'patch', ...identity(object) }, () => client.apply(object, options)),
    mergePatch: (target, patch, signal) =>
      tell({ verb: 'patch', namespace: target.namespace, name: target.name }, () =>
        client.mergePatch(target, patch, signal),
      ),
    replace: (object, options) =>
      tell({ verb: 'update', ...identity(object) }, () => client.replace(object, options)),
    delete: (namespace, name, options) =>
      tell({ verb: 'delete', namespace, name }, () => client.delete(namespace, name, options)),
  };
};
