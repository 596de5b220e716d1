import type { KubeClient } from './client.ts';
import { isRecord } from './decode.ts';
import { KubeError } from './kube-error.ts';
import { collectionPath } from './resource-path.ts';
import type { KubeObject, ListOptions, ResourceDefinition } from './types.ts';

export interface ListPage {
  /** Not yet decoded; apiVersion and kind are filled in, which lists of built-in kinds leave out. */
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}

type Definition = Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'scope' | 'kind'>;

const metadataText = (metadata: unknown, field: string): string => {
  const value = isRecord(metadata) ? metadata[field] : undefined;
  return typeof value === 'string' ? value : '';
};

/**
 * One consistent list, page by page, so that no answer is ever huge. Every page has the same resourceVersion.
 * @throws KubeError; code Gone when the list took so long that its version was compacted: start again.
 */
export async function* listPages(
  kube: KubeClient,
  definition: Definition,
  options: ListOptions & { readonly pageSize: number },
): AsyncGenerator<ListPage, void, undefined> {
  const path = collectionPath(definition, options.namespace);
  const { apiVersion, kind } = definition;
  let next = '';
  do {
    const response = await kube.request({
      method: 'GET',
      path,
      query: {
        limit: options.pageSize,
        labelSelector: options.labelSelector,
        fieldSelector: options.fieldSelector,
        continue: next === '' ? undefined : next,
      },
      signal: options.signal,
    });
    const items = isRecord(response) ? response['items'] : undefined;
    const metadata = isRecord(response) ? response['metadata'] : undefined;
    // A nil slice of Go is null on the wire.
    if (!isRecord(metadata) || (items !== null && !Array.isArray(items))) {
      throw new KubeError(`GET ${path}: the response is not a list`, { code: 'InvalidResponse' });
    }
    const list: readonly unknown[] = items ?? [];
    yield {
      items: list.map((item) => (isRecord(item) ? { apiVersion, kind, ...item } : item)),
      resourceVersion: metadataText(metadata, 'resourceVersion'),
    };
    next = metadataText(metadata, 'continue');
  } while (next !== '');
}
