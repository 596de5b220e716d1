import type { KubeClient } from './client.ts';
import type { KubeAccess } from './kube-access.ts';

/**
 * The same API server without any identity of ours: a client certificate, too, would make the server take a person's call
 * for one of this process.
 */
export const withoutIdentity = (access: KubeAccess): KubeAccess => ({
  server: access.server,
  credentials: async (options) => {
    const { tls } = await access.credentials(options);
    const { cert: _cert, key: _key, ...server } = tls;
    return { headers: {}, tls: server };
  },
});

/** What a token can hold; anything else would end the header that carries it. */
const TOKEN = /^[\x21-\x7e]{1,16384}$/;

/** True for text that can be sent as a bearer token at all. */
export const isBearerToken = (text: string): boolean => TOKEN.test(text);

/**
 * A client whose every call is made with a person's token, over the connections of a client without identity. The token
 * stands in no error and no log line. Disposing of it closes nothing.
 */
export const asUser = (kube: KubeClient, bearer: string): KubeClient => ({
  server: kube.server,
  request: (request) => kube.request({ ...request, bearer }),
  stream: (request) => kube.stream({ ...request, bearer }),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});
