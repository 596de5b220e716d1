import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** The issuer of the cluster's service account tokens, reachable without credentials, as a cloud provider publishes it. */
export interface IssuerFront extends AsyncDisposable {
  readonly openIdConfigUrl: string;
}

const read = async (cluster: Cluster, path: string): Promise<object> =>
  JSON.parse((await cluster.kubectl(['get', '--raw', path])).stdout) as object;

/** Serves the OpenID configuration and the keys of the API server. */
export const startIssuerFront = async (cluster: Cluster): Promise<IssuerFront> => {
  const config = await read(cluster, '/.well-known/openid-configuration');
  const keys = await read(cluster, '/openid/v1/jwks');
  const server = createServer(({ url }, response) => {
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { ...config, jwks_uri: `${base()}/keys` },
      '/keys': keys,
    };
    const document = documents[url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    openIdConfigUrl: `${base()}/.well-known/openid-configuration`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
