/** Requests that the API server has served. */
import type { RealCluster } from '#tools/real-node/real-cluster.ts';

/** The kinds of a job. Leases and nodes belong to none. */
const RESOURCES = ['zipjobs', 'zipbuckets', 'zipprojects', 'jobs', 'pods', 'secrets', 'events'];
const SERVED = /^apiserver_request_total\{([^}]*)\} (\S+)$/gm;

function labelOf(labels: string, name: string): string {
  return new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
}

/** Number of requests by verb and resource, without watches, which do not end with a job. */
export type RequestCounts = ReadonlyMap<string, number>;

export async function countRequests(cluster: Pick<RealCluster, 'kubectl'>): Promise<RequestCounts> {
  const { stdout } = await cluster.kubectl(['get', '--raw', '/metrics']);
  const counts = new Map<string, number>();
  for (const [, labels = '', count] of stdout.matchAll(SERVED)) {
    const resource = labelOf(labels, 'resource');
    const verb = labelOf(labels, 'verb');
    if (verb === 'WATCH' || !RESOURCES.includes(resource)) continue;
    const name = [`${verb} ${resource}`, labelOf(labels, 'subresource')]
      .filter((part) => part !== '')
      .join('/');
    counts.set(name, (counts.get(name) ?? 0) + Number(count));
  }
  return counts;
}

/** Requests per job of this many jobs, most first. */
export function perJob(
  before: RequestCounts,
  after: RequestCounts,
  jobs: number,
): readonly (readonly [string, number])[] {
  const each = [...after].map(([name, count]) => [name, (count - (before.get(name) ?? 0)) / jobs] as const);
  const total = each.reduce((sum, [, count]) => sum + count, 0);
  return [['requests to the API server', total] as const, ...each.toSorted(([, a], [, b]) => b - a)].filter(
    ([, count]) => count >= 0.1,
  );
}
