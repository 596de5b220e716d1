import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

/** An issuer of tokens that is reachable without credentials, as a cloud provider publishes the one of a cluster. */
export interface IssuerFront extends AsyncDisposable {
  readonly openIdConfigUrl: string;
}

/** An issuer whose tokens may expire earlier than those of an API server, which live for at least ten minutes. */
export interface TokenIssuer extends IssuerFront {
  /** A token of the zippers' service account. */
  tokenFor(audience: string, lifetimeSeconds: number): string;
}

async function publish(config: object, keys: object): Promise<IssuerFront> {
  const server = createServer(({ url }, response) => {
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': { ...config, jwks_uri: `${base()}/keys` },
      '/keys': keys,
    };
    const document = documents[url ?? ''];
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  });
  function base(): string {
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    openIdConfigUrl: `${base()}/.well-known/openid-configuration`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(cluster: Cluster, path: string): Promise<object> {
  return JSON.parse((await cluster.kubectl(['get', '--raw', path])).stdout) as object;
}

/** Serves the OpenID configuration and the keys of the API server. */
export async function startIssuerFront(cluster: Cluster): Promise<IssuerFront> {
  return publish(
    await read(cluster, '/.well-known/openid-configuration'),
    await read(cluster, '/openid/v1/jwks'),
  );
}

const ISSUER = 'https://issuer.test.example';

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = { kid: 'test', alg: 'RS256', use: 'sig' };
  const front = await publish(
    { issuer: ISSUER },
    { keys: [{ ...publicKey.export({ format: 'jwk' }), ...key }] },
  );
  return {
    ...front,
    tokenFor: (audience, lifetimeSeconds) => {
      const iat = Math.floor(Date.now() / 1000);
      const sub = 'system:serviceaccount:shop:zipjobs-zipper';
      const claims = { iss: ISSUER, sub, aud: [audience], iat, exp: iat + lifetimeSeconds };
      const unsigned = `${base64url({ alg: key.alg, kid: key.kid })}.${base64url(claims)}`;
      return `${unsigned}.${sign('sha256', Buffer.from(unsigned), privateKey).toString('base64url')}`;
    },
  };
}
