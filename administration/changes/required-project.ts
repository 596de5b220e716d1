import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import { AdministrationError } from '../errors/administration-error.ts';

export function noProject(namespace: string): AdministrationError {
  return new AdministrationError(`No project found in namespace "${namespace}"`, {
    code: 'NotFound',
    commandHint: `Create one with: zipjobs project create ${namespace}, or set another namespace with -n`,
  });
}

/** @throws AdministrationError NotFound if the namespace contains no project. */
export async function requiredProject(
  projects: Pick<ObjectClient<ZipProject>, 'get'>,
  namespace: string,
  signal?: AbortSignal,
): Promise<ZipProject> {
  const project = await projects.get(namespace, PROJECT_NAME, signal);
  if (!project) throw noProject(namespace);
  return project;
}
