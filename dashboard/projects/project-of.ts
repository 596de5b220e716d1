import { projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import { notFound } from '../http/page.ts';
import { toVisible, type VisibleProject } from '../user/visible-projects.ts';

/**
 * The project of a namespace that the user is allowed to see.
 * @throws PageError 404 when the namespace has no project
 */
export function projectOf(projects: Pick<Reflector<ZipProject>, 'get'>, namespace: string): VisibleProject {
  const project = projects.get(projectKey(namespace));
  if (project === undefined) throw notFound(`Namespace ${namespace} has no project.`);
  return toVisible(project);
}
