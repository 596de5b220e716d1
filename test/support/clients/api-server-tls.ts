import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** TLS settings of a fault proxy in front of the API server, with the API server's own certificate. */
export async function apiServerTls(
  cluster: Cluster,
): Promise<{ readonly ca: string; readonly cert: string; readonly key: string }> {
  function read(name: string): Promise<string> {
    return readFile(join(cluster.dir, 'certificates', name), 'utf8');
  }
  const [cert, key] = await Promise.all([read('apiserver.crt'), read('apiserver.key')]);
  return { ca: cluster.apiServer.ca, cert, key };
}
