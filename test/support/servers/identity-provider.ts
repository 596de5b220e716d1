import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { dirname, join } from 'node:path';
import { Provider } from 'oidc-provider';
import type { Page } from 'playwright-core';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

export interface IdentityProviderOptions {
  readonly port: number;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
}

const HOST = '127.0.0.1';

export function issuerUrl(port: number): string {
  return `https://${HOST}:${port}`;
}

/**
 * A real OpenID Connect server on loopback, with a certificate of the cluster's authority; it trusts whatever
 * name the user enters.
 */
export async function startIdentityProvider(
  cluster: Cluster,
  { port, clientId, clientSecret, redirectUri }: IdentityProviderOptions,
): Promise<AsyncDisposable> {
  const certificates = dirname(cluster.apiServer.caPath);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuerUrl(port), {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUri] }],
    findAccount: (_ctx, id) => ({
      accountId: id,
      claims: () => ({ sub: id, groups: ['zip-people'] }),
    }),
    scopes: ['openid', 'profile', 'email', 'groups'],
    claims: { openid: ['sub', 'groups'] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), kty: 'RSA', alg: 'RS256', use: 'sig', kid: 'test' }],
    },
  });
  const listener = provider.callback();
  const server = createServer(
    {
      cert: await readFile(join(certificates, 'apiserver.crt')),
      key: await readFile(join(certificates, 'apiserver.key')),
    },
    (request, response) => {
      void listener(request, response);
    },
  );
  server.listen({ host: HOST, port });
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The action of the user at the identity provider. */
export async function signInAtProvider(page: Page, name: string): Promise<void> {
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: /sign-in/i }).click();
  await page.getByRole('button', { name: /continue/i }).click();
}
