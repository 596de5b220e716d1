import { createUserClient } from '#administration/changes/user-client.ts';
import { ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import { RESOURCES, type RoleBinding } from '#runtime/kube/resources.ts';
import type { PageRequest } from '../http/page.ts';

/** Most rows on the page; a namespace can have any number of bindings. */
const MOST_ROWS = 100;
/** About 10,000 bindings. The whole list is in memory while it is read. */
const MOST_BYTES = 8 * 1_024 * 1_024;

/** The roles of Kubernetes that the roles of the chart are added to, and what they allow here. The first ones allow most. */
const KNOWN: ReadonlyMap<string, string> = new Map([
  ['cluster-admin', 'Everything'],
  ['admin', 'Change settings, access tokens and the webhook, and what edit allows'],
  ['edit', 'Create and change jobs and buckets, and what view allows'],
  ['view', 'Read jobs, buckets and the settings'],
]);
const OTHER = 'Depends on the rules of the role';

/** A user, group or service account with a role in the namespace of the project. */
export interface AccessRow {
  readonly subject: string;
  readonly kind: string;
  readonly role: string;
  readonly allows: string;
  readonly binding: string;
}

export interface Access {
  readonly rows: readonly AccessRow[];
  /** Rows that are not listed. */
  readonly more: number;
}

function rankOf(role: string): number {
  const rank = [...KNOWN.keys()].indexOf(role);
  return rank === -1 ? KNOWN.size : rank;
}

function rowsOf({ metadata, roleRef, subjects = [] }: RoleBinding): readonly AccessRow[] {
  return subjects.map(({ kind, name, namespace }) => ({
    subject: namespace === undefined ? name : `${namespace}/${name}`,
    kind,
    role: roleRef.name,
    allows: (roleRef.kind === 'ClusterRole' ? KNOWN.get(roleRef.name) : undefined) ?? OTHER,
    binding: metadata.name,
  }));
}

function byRole(a: AccessRow, b: AccessRow): number {
  return (
    rankOf(a.role) - rankOf(b.role) || a.role.localeCompare(b.role) || a.subject.localeCompare(b.subject)
  );
}

/** Subjects of the role bindings, those with the most permissions first. Without the binding of the zippers, which is not for users. */
export function accessRows(bindings: readonly RoleBinding[]): Access {
  const rows = bindings
    .filter(({ roleRef }) => roleRef.name !== ZIPPER_SERVICE_ACCOUNT)
    .flatMap(rowsOf)
    .toSorted(byRole);
  return { rows: rows.slice(0, MOST_ROWS), more: Math.max(0, rows.length - MOST_ROWS) };
}

/** @throws AdministrationError Forbidden */
export async function readAccess({ user, namespace }: PageRequest): Promise<Access> {
  return accessRows(
    await createUserClient(user.kube, RESOURCES.roleBindings).list({
      namespace,
      maxBytes: MOST_BYTES,
    }),
  );
}
