import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The response of a security token service: credentials of this lifetime, an error, or anything else. */
export type StsReply =
  | { readonly kind: 'session'; readonly lifetimeMs: number; readonly accessKeyId?: string }
  | { readonly kind: 'error'; readonly status: number; readonly code: string; readonly message?: string }
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'silence' };

export interface StsRequest {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
}

export interface StsServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: StsRequest[];
  reply: StsReply;
}

/** A service account token with these claims, unsigned. */
export function tokenWith(claims: Readonly<Record<string, unknown>>): string {
  return [
    { alg: 'RS256' },
    { iss: 'https://kubernetes.default.svc', sub: 'system:serviceaccount:red:zipper', ...claims },
  ]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .concat('SIGNATURE-CANARY')
    .join('.');
}

function credentialsXml(accessKeyId: string, expiration: Date): string {
  return `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>
<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>a&amp;b/c+d</SecretAccessKey>
<Expiration>${expiration.toISOString()}</Expiration><SessionToken>token-of-${accessKeyId}</SessionToken></Credentials>
</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`;
}

function errorXml(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
}

/** A security token service whose responses a test chooses. Each session has an access key of its own: `session-1`, ... */
export async function startStsServer(): Promise<StsServer> {
  const requests: StsRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ path: request.url ?? '', headers: request.headers, form: new URLSearchParams(body) });
      const { reply } = sts;
      if (reply.kind === 'silence') return;
      if (reply.kind === 'raw') response.writeHead(reply.status, reply.headers).end(reply.body);
      else if (reply.kind === 'error')
        response.writeHead(reply.status).end(errorXml(reply.code, reply.message ?? ''));
      else {
        const key = reply.accessKeyId ?? `session-${requests.length}`;
        const now = new Date();
        response.setHeader('date', now.toUTCString());
        // The header has whole seconds.
        const from = Math.floor(now.getTime() / 1000) * 1000;
        response.end(credentialsXml(key, new Date(from + reply.lifetimeMs)));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sts: StsServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reply: { kind: 'session', lifetimeMs: 3_600_000 },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return sts;
}
