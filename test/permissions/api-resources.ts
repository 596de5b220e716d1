import type { KubeUser } from '#test/support/clients/kube-user.ts';

/** A resource that the API server offers, in the preferred version of its group. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** Such as `status`; empty for the resource itself. */
  readonly subresource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

interface Discovered {
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

async function read<T>(user: KubeUser, path: string): Promise<T> {
  const { status, message, body } = await user.request('GET', path);
  if (status !== 200) throw new Error(`${path}: ${status} ${message}`);
  return body as T;
}

export function pathOf({ group, version }: Pick<ApiResource, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The name as in a role, such as `pods/status`. */
export function resourceName({ plural, subresource }: ApiResource): string {
  return subresource === '' ? plural : `${plural}/${subresource}`;
}

/** Everything that the API server offers, also what another version of Kubernetes adds. */
export async function readApiResources(user: KubeUser): Promise<readonly ApiResource[]> {
  const { groups } = await read<{
    groups: readonly { name: string; preferredVersion: { version: string } }[];
  }>(user, '/apis');
  const versions = [
    { group: '', version: 'v1' },
    ...groups.map(({ name, preferredVersion }) => ({ group: name, version: preferredVersion.version })),
  ];
  const lists = await Promise.all(
    versions.map(async (at) => {
      const { resources } = await read<Discovered>(user, pathOf(at));
      return resources.map(({ name, kind, namespaced, verbs }) => {
        const [plural = '', ...rest] = name.split('/');
        return { ...at, plural, subresource: rest.join('/'), kind, namespaced, verbs };
      });
    }),
  );
  return lists.flat();
}
