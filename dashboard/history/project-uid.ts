import { createUserClient } from '#administration/changes/user-client.ts';
import { PROJECT_NAME } from '#crds/api-group.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { notFound, type PageRequest } from '../http/page.ts';
import type { User } from '../user/user.ts';

/**
 * The uid of the project, under which the history keeps its jobs. It is read with the token of the user, not from the cache:
 * a cache that is behind could still have the project of a namespace that was deleted and created again.
 * @throws PageError 404 when the namespace has no project
 */
export async function projectUidOf({
  user,
  namespace,
}: Pick<PageRequest, 'namespace'> & {
  readonly user: Pick<User, 'kube'>;
}): Promise<string> {
  const project = await createUserClient(user.kube, RESOURCES.zipProjects).get(namespace, PROJECT_NAME);
  const uid = project?.metadata.uid;
  if (uid === undefined) throw notFound(`Namespace ${namespace} has no project.`);
  return uid;
}
