import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { createObjectsByPath, merged, type ObjectsByPath } from './objects-by-path.ts';

function versionIn(object: unknown): string | undefined {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' ? version : undefined;
}

/** `ObjectsByPath` with a resourceVersion, which each change of an object replaces. A patch of another version gets 409. */
export function createVersionedObjects(): Pick<ObjectsByPath, 'respond' | 'put' | 'get'> {
  const objects = createObjectsByPath();
  let changes = 0;
  function nextVersion(): string {
    changes += 1;
    return String(changes);
  }
  function checkVersion({ method, path, body }: KubeRequest): void {
    const [current, wanted] = [versionIn(objects.get(path)), versionIn(body)];
    if (method !== 'PATCH' || wanted === undefined || wanted === current) return;
    throw new KubeError(`version ${wanted} is not ${current}`, {
      attempt: `${method} ${path}`,
      code: 'Conflict',
      httpStatus: 409,
    });
  }
  return {
    put: (collection, object) => {
      const metadata = { ...object.metadata, resourceVersion: nextVersion() };
      objects.put(collection, { ...object, metadata });
    },
    get: (path) => objects.get(path),
    respond: (request) => {
      checkVersion(request);
      const { method, path } = request;
      const before = objects.get(path);
      const isSame = method === 'PATCH' && isDeepStrictEqual(merged(before, request.body), before);
      if (!isRecord(request.body) || isSame) return objects.respond(request);
      const body = merged(request.body, { metadata: { resourceVersion: nextVersion() } });
      return objects.respond({ ...request, body });
    },
  };
}
