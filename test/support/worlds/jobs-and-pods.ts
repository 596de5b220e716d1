import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';

/** Names of the Jobs and pods with these labels (`a=b,c=d`). */
export async function listedIn(
  cluster: NodelessCluster,
  namespace: string,
  labelSelector: string,
): Promise<readonly string[]> {
  const query = `labelSelector=${encodeURIComponent(labelSelector)}`;
  const lists = await Promise.all(
    [`/apis/batch/v1/namespaces/${namespace}/jobs`, `/api/v1/namespaces/${namespace}/pods`].map((path) =>
      cluster.read<{ readonly items: readonly { readonly metadata: { readonly name: string } }[] }>(
        `${path}?${query}`,
      ),
    ),
  );
  return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
}
