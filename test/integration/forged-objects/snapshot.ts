/** All objects of a namespace, without what changes by itself. */
import { type ApiResource, readApiResources } from '#test/permissions/api-resources.ts';
import type { KubeUser } from '#test/support/clients/kube-user.ts';
import { until } from '#test/support/until.ts';
import { collectionOf, kindName } from './kinds.ts';

interface Stored {
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Text of each object by kind and name. */
export type Snapshot = ReadonlyMap<string, string>;

/** A running zipper writes its progress, and one that runs for a minute gets a ZipCheckpoint. */
function textOf({ metadata, status, ...rest }: Stored): string {
  const { managedFields: _fields, resourceVersion: _version, generation: _generation, ...kept } = metadata;
  const { progress: _progress, checkpointed: _checkpointed, ...keptStatus } = status ?? {};
  return JSON.stringify({ metadata: kept, ...rest, status: keptStatus }, undefined, 1);
}

/** The API server fills its cache of a kind at the first request for it, and responds 429 until then. Nobody asks for ZipCheckpoints. */
async function listOf(admin: KubeUser, kind: ApiResource, namespace: string): Promise<readonly Stored[]> {
  return until(`the list of ${kindName(kind)}`, async () => {
    const { status, message, body } = await admin.request('GET', collectionOf(kind, namespace));
    if (status !== 200) throw new Error(`${kindName(kind)}: ${status} ${message}`);
    return body['items'] as readonly Stored[];
  });
}

export async function snapshotOf(admin: KubeUser, namespace: string): Promise<Snapshot> {
  const kinds = (await readApiResources(admin)).filter(
    ({ plural, namespaced, subresource, verbs }) =>
      namespaced && subresource === '' && verbs.includes('list') && plural !== 'zipcheckpoints',
  );
  const lists = await Promise.all(
    kinds.map(async (kind) => {
      const items = await listOf(admin, kind, namespace);
      return items.map((item) => [`${kindName(kind)} ${item.metadata.name}`, textOf(item)] as const);
    }),
  );
  return new Map(lists.flat());
}

function linesWithout(text: string, other: string): readonly string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
}

/** What is new, gone or different. */
export function changesBetween(before: Snapshot, after: Snapshot): readonly string[] {
  return [
    ...[...before].flatMap(([name, text]) => {
      const now = after.get(name);
      if (now === undefined) return [`${name} is gone`];
      return now === text
        ? []
        : [`${name} had ${linesWithout(text, now).join()} and has ${linesWithout(now, text).join()}`];
    }),
    ...[...after.keys()].filter((name) => !before.has(name)).map((name) => `${name} is new`),
  ];
}
