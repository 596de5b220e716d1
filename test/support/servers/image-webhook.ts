import { type MutatingWebhook, type Patch, startMutatingWebhook } from './mutating-webhook.ts';

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

/** What Kyverno changes: the digest of each image, and a note on the object. */
function patchOf({ metadata, spec }: Admitted, digest: string): Patch {
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

/** Starts a mutating admission webhook that adds this digest to the images of Jobs and pods, like Kyverno. */
export function startImageWebhook(digest: string): Promise<MutatingWebhook> {
  return startMutatingWebhook({
    name: 'images',
    rule: { apiGroups: ['', 'batch'], resources: ['jobs', 'pods'], operations: ['CREATE', 'UPDATE'] },
    patchOf: (object: Admitted) => patchOf(object, digest),
  });
}
