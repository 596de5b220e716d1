import { API_GROUP, API_VERSION, PLURALS } from '#crds/api-group.ts';
import { fieldAt, listAt, textAt } from '../../kube/fields.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, failure, orOk } from '../finding.ts';
import { KINDS } from '../kinds.ts';
import { digestOf } from '../release-record.ts';
import { restoreCommand } from './restore.ts';

/** Names of the CustomResourceDefinitions. */
export const DEFINITIONS: readonly string[] = Object.values(PLURALS).map(
  (plural) => `${plural}.${API_GROUP}`,
);

function isEstablished(crd: unknown): boolean {
  return listAt(crd, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'Established' && textAt(one, 'status') === 'True',
  );
}

/** True if the API server serves the version that this program uses. */
export function isServed(crd: unknown): boolean {
  return (
    isEstablished(crd) &&
    listAt(crd, 'spec', 'versions').some(
      (one) => textAt(one, 'name') === API_VERSION && fieldAt(one, 'served') === true,
    )
  );
}

async function findingsOf(name: string, { reader, release }: CheckContext): Promise<readonly Finding[]> {
  const crd = await reader.get(KINDS.CustomResourceDefinition, name);
  const title = `CustomResourceDefinition ${name}`;
  const restore = `Restore it, and never delete it, because that deletes its objects: ${restoreCommand(release)}`;
  if (crd === undefined) return [failure(`${title} does not exist`, restore)];
  if (!isServed(crd)) return [failure(`${title} does not serve version ${API_VERSION}`, restore)];
  const findings: Finding[] = [];
  const recorded = release.record?.objects.find(
    (one) => one.kind === 'CustomResourceDefinition' && one.name === name,
  );
  if (recorded !== undefined && recorded.digest !== digestOf(recorded.kind, crd))
    findings.push(
      failure(
        `${title} differs from the one of the release, so fields may be dropped or not checked`,
        restore,
      ),
    );
  const known = listAt(crd, 'spec', 'versions').map((one) => textAt(one, 'name'));
  const stored = listAt(crd, 'status', 'storedVersions').filter((one) => !known.includes(String(one)));
  if (stored.length > 0)
    findings.push(
      failure(
        `${title} has objects stored in version ${stored.join(', ')}, which it no longer defines`,
        'Migrate them with the release before: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning',
      ),
    );
  return findings;
}

export const definitions: Check = {
  name: 'definitions',
  run: async (context) => {
    const findings = await Promise.all(DEFINITIONS.map((name) => findingsOf(name, context)));
    return orOk(findings.flat(), `All ${DEFINITIONS.length} definitions are served and those of the release`);
  },
};
