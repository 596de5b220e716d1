import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';
import { certificateText } from './tls-front.ts';

/** Operations of a JSON Patch. */
export type Patch = readonly {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}[];

export interface MutatingWebhookOptions<T> {
  /** Of its configuration, before the name of the namespace. */
  readonly name: string;
  /** What it is called for. */
  readonly rule: {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly operations: readonly string[];
  };
  readonly patchOf: (object: T) => Patch;
}

export interface MutatingWebhook extends AsyncDisposable {
  /** The configuration that makes the API server call it for the objects of a namespace. */
  configurationFor(namespace: string): Manifest;
}

interface Review<T> {
  readonly request: { readonly uid: string; readonly object: T };
}

async function reviewIn<T>(request: IncomingMessage): Promise<Review<T>['request']> {
  return (JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()) as Review<T>).request;
}

function responseWith(uid: string, patch: Patch) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    },
  };
}

/** Starts a mutating admission webhook on loopback. */
export async function startMutatingWebhook<T>({
  name,
  rule,
  patchOf,
}: MutatingWebhookOptions<T>): Promise<MutatingWebhook> {
  const [cert, key] = [certificateText('loopback.pem'), certificateText('server.key')];
  const server = createServer({ cert, key }, (request, response) => {
    void reviewIn<T>(request).then(({ uid, object }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(responseWith(uid, patchOf(object))));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    configurationFor: (namespace) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: `${name}-of-${namespace}` },
      webhooks: [
        {
          name: `${name}.example.com`,
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(cert).toString('base64') },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [{ ...rule, apiVersions: ['v1'] }],
        },
      ],
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
