import { FIELD_MANAGERS, GROUP_VERSION } from '#crds/api-group.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';

/** Writes all status fields of the controller, because an apply removes the fields that it omits. */
export type ApplyStatus<T extends KubeObject, Status> = (object: T, status: Status) => Promise<T>;

/** The uid and version that a decision is based on, so that a replaced or changed object causes a conflict. */
function versionOf({ name, namespace, uid, resourceVersion }: ObjectMeta): ObjectMeta {
  if (uid === undefined || resourceVersion === undefined)
    throw new Error(`Could not write the status of ${namespace}/${name}: it has no uid or resourceVersion`);
  return { name, namespace, uid, resourceVersion };
}

/** The only status writer of each kind. Throws Conflict if the object changed: the caller must decide again. */
export function createApplyStatus<T extends KubeObject, Status>(
  kind: 'ZipJob' | 'ZipBucket' | 'ZipProject',
  client: Pick<ObjectClient<T>, 'apply'>,
): ApplyStatus<T, Status> {
  return async ({ metadata }, status) =>
    client.apply(
      { apiVersion: GROUP_VERSION, kind, metadata: versionOf(metadata), status },
      { fieldManager: FIELD_MANAGERS.controller, subresource: 'status' },
    );
}
