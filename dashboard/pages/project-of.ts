import { projectKey } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { Reflector } from '#runtime/kube/types.ts';
import { notFound } from '../page.ts';
import { toVisible, type VisibleProject } from '../person/visible-projects.ts';

/**
 * The project of a namespace that the person may see.
 * @throws PageError 404 when the namespace is none
 */
export const projectOf = (
  projects: Pick<Reflector<ZipProject>, 'get'>,
  namespace: string,
): VisibleProject => {
  const project = projects.get(projectKey(namespace));
  if (project === undefined) throw notFound(`The namespace ${namespace} holds no project.`);
  return toVisible(project);
};
