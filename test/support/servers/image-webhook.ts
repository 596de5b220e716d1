import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';
import { certificateText } from './tls-front.ts';

const ANNOTATION = 'kyverno.io/verify-images';

interface Meta {
  readonly annotations?: Readonly<Record<string, string>>;
}

interface PodSpec {
  readonly containers: readonly { readonly image: string }[];
}

interface Admitted {
  readonly metadata: Meta;
  readonly spec: PodSpec & { readonly template?: { readonly spec: PodSpec } };
}

interface Review {
  readonly request: { readonly uid: string; readonly object: Admitted };
}

export interface ImageWebhook extends AsyncDisposable {
  /** The configuration that makes the API server call it for the Jobs and pods of a namespace. */
  configurationFor(namespace: string): Manifest;
}

/** JSON Patch of what Kyverno changes: the digest of each image, and a note on the object. */
function patchOf({ metadata, spec }: Admitted, digest: string): readonly object[] {
  const at = spec.template === undefined ? '/spec' : '/spec/template/spec';
  const { containers } = spec.template?.spec ?? spec;
  const images = containers.flatMap(({ image }, index) =>
    image.includes('@')
      ? []
      : [{ op: 'replace', path: `${at}/containers/${index}/image`, value: `${image}@${digest}` }],
  );
  const annotations = { ...metadata.annotations, [ANNOTATION]: 'pass' };
  return [...images, { op: 'add', path: '/metadata/annotations', value: annotations }];
}

async function reviewIn(request: IncomingMessage): Promise<Review['request']> {
  return (JSON.parse(Buffer.concat((await request.toArray()) as Buffer[]).toString()) as Review).request;
}

function responseTo({ uid, object }: Review['request'], digest: string) {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: {
      uid,
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from(JSON.stringify(patchOf(object, digest))).toString('base64'),
    },
  };
}

/** Starts a mutating admission webhook that adds this digest to the images of Jobs and pods, like Kyverno. */
export async function startImageWebhook(digest: string): Promise<ImageWebhook> {
  const [cert, key] = [certificateText('loopback.pem'), certificateText('server.key')];
  const server = createServer({ cert, key }, (request, response) => {
    void reviewIn(request).then((review) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(responseTo(review, digest)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    configurationFor: (namespace) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: `images-of-${namespace}` },
      webhooks: [
        {
          name: 'images.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          failurePolicy: 'Fail',
          clientConfig: { url: `https://127.0.0.1:${port}/`, caBundle: Buffer.from(cert).toString('base64') },
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          rules: [
            {
              apiGroups: ['batch'],
              apiVersions: ['v1'],
              resources: ['jobs'],
              operations: ['CREATE', 'UPDATE'],
            },
            { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE', 'UPDATE'] },
          ],
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
