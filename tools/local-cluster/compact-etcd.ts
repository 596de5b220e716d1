import { ClusterError } from './cluster-error.ts';

async function ask(url: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (response.ok) return response.json();
  throw new ClusterError(`etcd responded to ${path} with ${response.status}: ${await response.text()}`);
}

function revisionOf(response: unknown): string {
  const { header } = response as { header?: { revision?: string } };
  if (header?.revision === undefined) throw new ClusterError('etcd did not report its revision');
  return header.revision;
}

/** Removes all versions except the newest of each object from etcd. */
export async function compactEtcd(url: string): Promise<void> {
  const everything = { key: 'AA==', range_end: 'AA==', count_only: true };
  const revision = revisionOf(await ask(url, '/v3/kv/range', everything));
  await ask(url, '/v3/kv/compaction', { revision, physical: true });
}
