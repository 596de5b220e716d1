import type { KubeClient } from './client.ts';
import { isRecord } from './decode.ts';
import { KubeError } from './kube-error.ts';
import { collectionPath } from './resource-path.ts';
import type { KubeObject, ListOptions, ResourceDefinition } from './types.ts';

export interface ListPage {
  /** Not decoded. apiVersion and kind are added, because lists of built-in kinds omit them. */
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}

type Definition = Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'scope' | 'kind'>;

const metadataText = (metadata: unknown, field: string): string => {
  const value = isRecord(metadata) ? metadata[field] : undefined;
  return typeof value === 'string' ? value : '';
};

/**
 * Lists in pages, so that no response is huge. All pages have the same resourceVersion and so are consistent.
 * @throws KubeError; code Gone if the version was compacted during the list. Start again in that case.
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
    // Go encodes a nil slice as null.
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
