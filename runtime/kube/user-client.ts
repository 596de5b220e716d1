import type { KubeClient } from './client.ts';
import type { KubeAccess } from './kube-access.ts';

/**
 * The same API server without our identity, including the client certificate. Otherwise the server would attribute a
 * user's call to this process.
 */
export const withoutIdentity = (access: KubeAccess): KubeAccess => ({
  server: access.server,
  credentials: async (options) => {
    const { tls } = await access.credentials(options);
    const { cert: _cert, key: _key, ...server } = tls;
    return { headers: {}, tls: server };
  },
});

/** Characters of a bearer token. Any other character could end the header. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** True if the text can be sent as a bearer token. */
export const isBearerToken = (text: string): boolean => TOKEN.test(text);

/**
 * A client that makes every call with a user's token, over the connections of a client without identity. No error or
 * log line contains the token. Disposing it closes nothing.
 */
export const asUser = (kube: KubeClient, bearer: string): KubeClient => ({
  server: kube.server,
  request: (request) => kube.request({ ...request, bearer }),
  stream: (request) => kube.stream({ ...request, bearer }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
