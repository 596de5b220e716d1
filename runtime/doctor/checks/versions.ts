import { textAt } from '../../kube/fields.ts';
import type { Check } from '../context.ts';
import { componentOf, type Release } from '../find-release.ts';
import { type Finding, orOk, warning } from '../finding.ts';

const VERSION_LABEL = 'app.kubernetes.io/version';

function versionOf(object: unknown): string {
  return textAt(object, 'metadata', 'labels', VERSION_LABEL);
}

/** The versions of these objects, sorted. */
export function versionsOf(objects: readonly unknown[]): readonly string[] {
  return [...new Set(objects.map(versionOf).filter((version) => version !== ''))].toSorted();
}

/** Of the chart that was installed last. */
export function releaseVersion({ record, deployments }: Release): string {
  return record?.version ?? versionsOf(deployments)[0] ?? '';
}

/** Old pods run until a rollout ends. */
function mismatches(release: Release, version: string): readonly Finding[] {
  const { namespace, prefix, deployments, pods } = release;
  return [...deployments, ...pods]
    .filter((one) => versionOf(one) !== '' && versionOf(one) !== version)
    .map((one) => {
      const name = textAt(one, 'metadata', 'name');
      const what = deployments.includes(one) ? `Deployment ${name}` : `Pod ${name}`;
      return warning(
        `${what} has version ${versionOf(one)}, and the release ${version}`,
        `If no upgrade is running, repeat it (helm upgrade ${prefix}), or see why the rollout waits: kubectl rollout status -n ${namespace} deployment/${prefix}-${componentOf(one)}`,
      );
    });
}

export const versions: Check = {
  name: 'versions',
  run: async ({ release, version }) => {
    const installed = releaseVersion(release);
    const findings = [...mismatches(release, installed)];
    if (installed !== version)
      findings.push(
        warning(
          `This program has version ${version}, and the release ${installed}`,
          `Use the command line of version ${installed}, because another one may not know all options and states`,
        ),
      );
    return orOk(findings, `The release, its pods and this program have version ${version}`);
  },
};
