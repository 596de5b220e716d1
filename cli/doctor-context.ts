import { AdministrationError } from '#administration/errors/administration-error.ts';
import { explainKubeError } from '#administration/errors/explain-kube-error.ts';
import type { CheckContext } from '#runtime/doctor/context.ts';
import { findRelease } from '#runtime/doctor/find-release.ts';
import { createReader, ForbiddenReadError } from '#runtime/doctor/reader.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { Session } from './session.ts';

export interface DoctorArguments extends GlobalArguments {
  readonly systemNamespace: string | undefined;
}

/**
 * What the checks read, with the permissions of the user.
 * @throws AdministrationError if there is no release, or the user may not see it
 */
export async function openCheckContext(
  { systemNamespace }: DoctorArguments,
  { kube, clock, serverClock, signal }: Session,
  version: string,
): Promise<CheckContext> {
  const reader = createReader(kube, signal);
  try {
    const release = await findRelease(reader, systemNamespace);
    if (release) return { reader, release, version, clock, serverClock };
  } catch (error) {
    if (error instanceof ForbiddenReadError)
      throw new AdministrationError(
        `Cannot look for the release: you may not ${error.permission}. Set its namespace with --system-namespace, or ask your cluster administrator for this permission`,
        { code: 'Forbidden', cause: error },
      );
    throw explainKubeError({ verb: 'list', resource: 'deployments.apps', namespace: systemNamespace }, error);
  }
  const where = systemNamespace === undefined ? 'in this cluster' : `in namespace ${systemNamespace}`;
  throw new AdministrationError(`No release of zipjobs found ${where}. Install it: docs/install.md`, {
    code: 'NotFound',
  });
}
