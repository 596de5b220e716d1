import type { Release } from '../find-release.ts';

/**
 * The command that restores what the release contains. Helm 4 refuses an upgrade after somebody else has changed a field, and
 * applies as the field manager `helm`: with another one, the next upgrade would be refused.
 */
export function restoreCommand({ prefix, namespace }: Pick<Release, 'prefix' | 'namespace'>): string {
  return `helm get manifest ${prefix} -n ${namespace} | kubectl apply --server-side --force-conflicts --field-manager=helm -f -`;
}
