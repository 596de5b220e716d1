import { PassThrough } from 'node:stream';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';

/** The objects of one kind, built one by one. */
interface FixedKind {
  readonly count: number;
  readonly build: (n: number) => object;
}

/** By plural. */
export type FixedObjects = Readonly<Record<string, FixedKind>>;

/** As from the network: no string is shared with another object. */
function overNetwork(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

interface Named {
  readonly metadata: { readonly name: string; readonly namespace: string };
}

function inPath(path: string): string | undefined {
  return /\/namespaces\/([^/]+)\//.exec(path)?.[1];
}

function allOf({ count, build }: FixedKind): readonly object[] {
  return Array.from({ length: count }, (_, n) => build(n));
}

function find(objects: FixedObjects, path: string): object | undefined {
  const [plural = '', name] = path.split('/').slice(-2);
  const kind = objects[plural];
  return (
    kind &&
    (allOf(kind) as Named[]).find(
      ({ metadata }) => metadata.name === name && metadata.namespace === inPath(path),
    )
  );
}

/** Of every list. An event needs a newer one. */
export const LIST_VERSION = 999_999_999;

/** An API server that has these objects. Nothing changes, except what `onWatch` writes into the watches of each plural. */
export function fixedKube(
  objects: FixedObjects,
  onWatch: (plural: string, body: PassThrough) => void = () => undefined,
): KubeClient {
  return {
    server: 'https://kube.example',
    request: ({ path, query }) => {
      const kind = objects[path.split('/').at(-1) ?? ''] ?? { count: 0, build: () => ({}) };
      const found = query === undefined ? find(objects, path) : undefined;
      if (found) return Promise.resolve(overNetwork(found));
      if (query === undefined)
        return Promise.reject(
          new KubeError('not found', { attempt: `GET ${path}`, code: 'NotFound', httpStatus: 404 }),
        );
      const from = Number(query['continue'] ?? 0);
      const end = Math.min(kind.count, from + Number(query['limit'] ?? 500));
      const items = Array.from({ length: end - from }, (_, index) => kind.build(from + index)).filter(
        (item) =>
          inPath(`${path}/`) === undefined || (item as Named).metadata.namespace === inPath(`${path}/`),
      );
      const metadata = {
        resourceVersion: String(LIST_VERSION),
        ...(end < kind.count && { continue: String(end) }),
      };
      return Promise.resolve(overNetwork({ metadata, items }));
    },
    stream: ({ path, query, signal }) => {
      if (query?.['sendInitialEvents'] === true)
        throw new KubeError('not supported', { code: 'Invalid', httpStatus: 422 });
      const body = new PassThrough();
      signal?.addEventListener('abort', () => body.destroy());
      onWatch(path.split('/').at(-1) ?? '', body);
      return Promise.resolve(body);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
