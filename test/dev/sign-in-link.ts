import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LOCAL_PORTS } from './local-addresses.ts';
import { listenNear } from './port-forwarder.ts';

export interface SignInLinkOptions {
  readonly dashboardUrl: string;
  /** Kubernetes token of the user. */
  readonly token: string;
  /** Path of the dashboard that the link opens. */
  readonly page: string;
}

export interface SignInLink extends AsyncDisposable {
  readonly url: string;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`);
}

async function signIn(response: ServerResponse, options: SignInLinkOptions): Promise<void> {
  const { dashboardUrl, token, page } = options;
  const reply = await fetch(`${dashboardUrl}/sign-in`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: dashboardUrl, Connection: 'close' },
    body: new URLSearchParams({ token, next: page }),
  });
  await reply.body?.cancel();
  const location = reply.headers.get('location');
  if (reply.status !== 303 || location === null)
    return refuse(response, 502, `The dashboard refused the sign-in with status ${reply.status}.`);
  response
    .writeHead(303, {
      'Set-Cookie': reply.headers.getSetCookie(),
      Location: new URL(location, dashboardUrl).href,
      'Cache-Control': 'no-store',
      'Referrer-Policy': 'no-referrer',
    })
    .end();
}

/**
 * A link on loopback that signs in anyone who opens it: it posts the form of the sign-in page and passes the cookie to the browser, which
 * sends it to every port of a host. The token itself is in no URL, and nobody can guess the link.
 */
export async function startSignInLink(options: SignInLinkOptions): Promise<SignInLink> {
  const path = `/${randomBytes(16).toString('base64url')}`;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== path) return refuse(response, 404, 'Not found');
    signIn(response, options).catch(() => refuse(response, 503, 'The dashboard does not respond. Reload.'));
  });
  await listenNear(server, LOCAL_PORTS.signIn);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${path}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
