import { readFile } from 'node:fs/promises';
import { Agent } from 'undici';
import { parse } from 'yaml';
import type { Cluster, ClusterUser } from '#tools/local-cluster/cluster-types.ts';

export interface KubeResponse {
  readonly status: number;
  /** The Status object's message, or the text of the body. */
  readonly message: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface KubeRequest {
  readonly body?: unknown;
  /** Patch type of a PATCH. Default: merge. */
  readonly patch?: 'merge' | 'apply' | 'strategic-merge';
  /** Read no body of a successful response: a watch sends none, or does not end. */
  readonly isWatch?: boolean;
  /** Act as this user, by impersonation. */
  readonly as?: string;
}

/** A signed-in user of the API server whose requests return refusals unchanged. */
export interface KubeUser extends AsyncDisposable {
  request(method: string, path: string, request?: KubeRequest): Promise<KubeResponse>;
}

interface Credentials {
  readonly token?: string;
  readonly 'client-certificate'?: string;
  readonly 'client-key'?: string;
}

const PATCH_TYPES = {
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
  'strategic-merge': 'application/strategic-merge-patch+json',
} as const;

function contentType(method: string, request: KubeRequest): string {
  return method === 'PATCH' ? PATCH_TYPES[request.patch ?? 'merge'] : 'application/json';
}

function toResponse(status: number, text: string): KubeResponse {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const { message } = body;
    return { status, body, message: typeof message === 'string' ? message : '' };
  } catch {
    return { status, body: {}, message: text };
  }
}

/** Signs in with a token or a new certificate; without credentials as cluster-admin. */
export async function signIn(cluster: Cluster, user?: ClusterUser): Promise<KubeUser> {
  const path = user === undefined ? cluster.kubeconfigPath : await cluster.kubeconfigFor(user);
  const config = parse(await readFile(path, 'utf8')) as {
    users: readonly [{ readonly user: Credentials }];
  };
  const credentials = config.users[0].user;
  async function read(name: 'client-certificate' | 'client-key'): Promise<string | undefined> {
    return credentials[name] === undefined ? undefined : readFile(credentials[name], 'utf8');
  }
  const [cert, key] = [await read('client-certificate'), await read('client-key')];
  const agent = new Agent({
    connect: { ca: cluster.apiServer.ca, ...(cert && key ? { cert, key } : {}) },
    // With HTTP/2, a request that the API server ends causes an error that no code can handle.
    allowH2: false,
  });
  return {
    request: async (method, path, request = {}) => {
      const response = await agent.request({
        origin: cluster.apiServer.url,
        path,
        method: method as 'GET',
        headers: {
          ...(credentials.token === undefined ? {} : { authorization: `Bearer ${credentials.token}` }),
          ...(request.as === undefined ? {} : { 'impersonate-user': request.as }),
          ...(request.body === undefined ? {} : { 'content-type': contentType(method, request) }),
        },
        body: request.body === undefined ? null : JSON.stringify(request.body),
      });
      const { statusCode: status } = response;
      if (request.isWatch === true && status === 200) {
        response.body.on('error', () => undefined).destroy();
        return { status, message: '', body: {} };
      }
      return toResponse(status, await response.body.text());
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}
