import type { KubeObject, ListOptions, ResourceDefinition } from '../types.ts';
import type { KubeClient } from './client.ts';
import { isRecord } from './decode.ts';
import { isKubeError, KubeError } from './kube-error.ts';
import type { KubeRequest } from './kube-request.ts';
import { collectionPath } from './resource-path.ts';

export interface ListPage {
  /** Not decoded. apiVersion and kind are added, because lists of built-in kinds omit them. */
  readonly items: readonly unknown[];
  readonly resourceVersion: string;
}

type Definition = Pick<ResourceDefinition<KubeObject>, 'apiVersion' | 'plural' | 'scope' | 'kind'>;

function metadataText(metadata: unknown, field: string): string {
  const value = isRecord(metadata) ? metadata[field] : undefined;
  return typeof value === 'string' ? value : '';
}

/** Users of a namespace decide how large its objects are: up to 1.5 MiB each. */
const MAX_PAGE_BYTES = 16 * 1_024 * 1_024;
const SHRINK = 4;

type Page = Pick<KubeRequest, 'path' | 'signal' | 'onBytes' | 'metadataOnly'> & {
  readonly query: NonNullable<KubeRequest['query']>;
  readonly limit: number;
};

/** Repeats a page with fewer objects while it is too large. */
async function requestPage(
  kube: KubeClient,
  page: Page,
): Promise<{ readonly response: unknown; readonly limit: number }> {
  const { query, limit, ...request } = page;
  try {
    const sized = { limit, ...query };
    const response = await kube.request({
      ...request,
      method: 'GET',
      query: sized,
      maxBytes: MAX_PAGE_BYTES,
    });
    return { response, limit };
  } catch (error) {
    if (!isKubeError(error, 'TooLarge') || limit === 1) throw error;
    return requestPage(kube, { ...page, limit: Math.max(1, Math.floor(limit / SHRINK)) });
  }
}

/** @throws KubeError InvalidResponse */
function listIn(
  response: unknown,
  path: string,
): { readonly items: readonly unknown[]; readonly metadata: unknown } {
  const { items, metadata } = isRecord(response) ? response : {};
  // Go encodes a nil slice as null.
  const list: unknown = items === null ? [] : items;
  if (isRecord(metadata) && Array.isArray(list)) return { items: list, metadata };
  throw new KubeError('the response is not a list', { attempt: `GET ${path}`, code: 'InvalidResponse' });
}

/**
 * Lists in pages of a limited size, so that no response is huge. All pages have the same resourceVersion and so are consistent.
 * @throws KubeError; code Gone if the version was compacted during the list. Start again in that case.
 */
export async function* listPages(
  kube: KubeClient,
  definition: Definition,
  options: ListOptions & Pick<KubeRequest, 'metadataOnly'> & { readonly pageSize: number },
): AsyncGenerator<ListPage, void, undefined> {
  const path = collectionPath(definition, options.namespace);
  const { apiVersion, kind } = definition;
  const { maxBytes = Infinity, metadataOnly = false } = options;
  let next = '';
  let limit = options.pageSize;
  let total = 0;
  function onBytes(bytes: number): void {
    total += bytes;
  }
  do {
    const { labelSelector, fieldSelector, signal } = options;
    const query = { labelSelector, fieldSelector, continue: next === '' ? undefined : next };
    const page = await requestPage(kube, { path, query, signal, limit, onBytes, metadataOnly });
    if (total > maxBytes)
      throw new KubeError(`the list is larger than ${maxBytes} bytes`, {
        attempt: `GET ${path}`,
        code: 'TooLarge',
      });
    limit = page.limit;
    const { items, metadata } = listIn(page.response, path);
    yield {
      items: items.map((item) => (isRecord(item) ? { apiVersion, kind, ...item } : item)),
      resourceVersion: metadataText(metadata, 'resourceVersion'),
    };
    next = metadataText(metadata, 'continue');
  } while (next !== '');
}
