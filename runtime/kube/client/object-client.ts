import { defined } from '../../collections/optional.ts';
import { toError } from '../../errors.ts';
import type { DeleteOptions, KubeObject, ListOptions, ObjectClient, ResourceDefinition } from '../types.ts';
import type { KubeClient } from './client.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import type { KubeRequest } from './kube-request.ts';
import { listPages } from './list-pages.ts';
import { withObjectMetadata } from './object-metadata.ts';
import { collectionPath, objectPath } from './resource-path.ts';

/** Objects per page of a list. */
const DEFAULT_PAGE_SIZE = 500;

function deleteBody({ uid, propagationPolicy, gracePeriodSeconds }: DeleteOptions): Record<string, unknown> {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(uid === undefined ? {} : { preconditions: { uid } }),
    ...defined({ propagationPolicy, gracePeriodSeconds }),
  };
}

async function undefinedWhen<T>(
  code: 'NotFound' | 'AlreadyExists',
  task: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await task();
  } catch (error) {
    if (isKubeError(error, code)) return undefined;
    throw error;
  }
}

/** True if the delete named a uid, and the current object has another one. */
function isOtherUid(error: unknown, options: DeleteOptions): boolean {
  return options.uid !== undefined && isKubeError(error, 'Conflict') && /\bUID\b/.test(error.message);
}

async function remove(kube: KubeClient, path: string, options: DeleteOptions): Promise<boolean> {
  try {
    await kube.request({ method: 'DELETE', path, body: deleteBody(options), signal: options.signal });
    return true;
  } catch (error) {
    if (isKubeError(error, 'NotFound') || isOtherUid(error, options)) return false;
    throw error;
  }
}

/** A call whose response is an object of the kind. */
type Call<T> = (request: KubeRequest) => Promise<T>;

function decoding<T extends KubeObject>(
  definition: ResourceDefinition<T>,
  attempt: string,
  value: unknown,
): T {
  try {
    return definition.decode(value);
  } catch (error) {
    throw new KubeError(toError(error).message, { attempt, code: 'InvalidResponse', cause: error });
  }
}

async function listAll<T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
  options: ListOptions,
): Promise<readonly T[]> {
  const objects: T[] = [];
  for await (const page of listPages(kube, definition, { ...options, pageSize: DEFAULT_PAGE_SIZE })) {
    for (const item of page.items) objects.push(decoding(definition, `list of ${definition.plural}`, item));
  }
  return objects;
}

function readers<T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
  call: Call<T>,
): Pick<ObjectClient<T>, 'get' | 'list'> {
  return {
    get: (namespace, name, signal) =>
      undefinedWhen('NotFound', async () =>
        call({ method: 'GET', path: objectPath(definition, { namespace, name }), signal }),
      ),
    list: async (options = {}) => {
      try {
        return await listAll(kube, definition, options);
      } catch (error) {
        // The version was compacted between two pages. A new list starts at the current version.
        if (isKubeError(error, 'Gone')) return listAll(kube, definition, options);
        throw error;
      }
    },
  };
}

function writers<T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
  call: Call<T>,
): Pick<ObjectClient<T>, 'create' | 'apply' | 'replace' | 'mergePatch'> {
  const { apiVersion, kind } = definition;
  return {
    create: (object, { fieldManager, signal } = {}) =>
      undefinedWhen('AlreadyExists', async () => {
        const path = collectionPath(definition, object.metadata.namespace);
        return call({
          method: 'POST',
          path,
          query: { fieldManager },
          body: { ...withObjectMetadata(object, kube.objectMetadata), apiVersion, kind },
          signal,
        });
      }),
    apply: async (object, { fieldManager, subresource, force = true, signal }) => {
      const path = objectPath(definition, { ...object.metadata, subresource });
      const body = { ...object, apiVersion, kind };
      return call({
        method: 'PATCH',
        path,
        patchType: 'apply',
        query: { fieldManager, force },
        body,
        signal,
      });
    },
    replace: async (object, { fieldManager, subresource, signal } = {}) => {
      const path = objectPath(definition, { ...object.metadata, subresource });
      return call({
        method: 'PUT',
        path,
        query: { fieldManager },
        body: { ...object, apiVersion, kind },
        signal,
      });
    },
    mergePatch: async (target, patch, signal) =>
      call({
        method: 'PATCH',
        path: objectPath(definition, target),
        patchType: 'merge',
        body: patch,
        signal,
      }),
  };
}

/** Reads and writes the objects of one kind. */
export function createObjectClient<T extends KubeObject>(
  kube: KubeClient,
  definition: ResourceDefinition<T>,
): ObjectClient<T> {
  const call: Call<T> = async (request) =>
    decoding(definition, `${request.method} ${request.path}`, await kube.request(request));
  return {
    ...readers(kube, definition, call),
    ...writers(kube, definition, call),
    delete: async (namespace, name, options = {}) =>
      remove(kube, objectPath(definition, { namespace, name }), options),
  };
}
