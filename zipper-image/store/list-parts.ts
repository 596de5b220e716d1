/** The parts that the store has of an upload. */
import type { ListPartsCommandInput, ListPartsCommandOutput } from '@aws-sdk/client-s3';
import { crcOfBase64, missing } from './part-verification.ts';

type Page = Pick<ListPartsCommandInput, 'PartNumberMarker'>;
export type FetchPage = (page: Page) => Promise<ListPartsCommandOutput>;
type ListedParts = NonNullable<ListPartsCommandOutput['Parts']>;

export interface ListedPart {
  /** From 1. */
  readonly number: number;
  readonly bytes: number;
  /** As returned by the store. */
  readonly etag: string;
  /** Only if the store reports it. */
  readonly crc32?: number;
}

/** More pages than the parts of any upload. */
const MOST_PAGES = 100;

/**
 * Reads page after page: a page may be empty although others follow.
 * @throws StoreError for a response that is not a list of parts, which must not count as an empty one, and if the list does not end
 */
async function* pagesOf(attempted: string, fetchPage: FetchPage): AsyncGenerator<ListedParts> {
  let page: Page = {};
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const { Parts: parts, UploadId: id, IsTruncated, NextPartNumberMarker } = await fetchPage(page);
    if ((parts ?? id) === undefined) throw missing(attempted, 'list of parts');
    yield parts ?? [];
    if (IsTruncated !== true) return;
    if (NextPartNumberMarker === undefined) throw missing(attempted, 'marker of the next page');
    page = { PartNumberMarker: NextPartNumberMarker };
  }
  throw missing(attempted, 'last page');
}

/** Whether the upload has parts. @throws StoreError as `listPartsOf` */
export async function hasParts(attempted: string, fetchPage: FetchPage): Promise<'empty' | 'parts'> {
  for await (const parts of pagesOf(attempted, fetchPage)) if (parts.length > 0) return 'parts';
  return 'empty';
}

function toListedPart(attempted: string, part: ListedParts[number]): ListedPart {
  const { PartNumber: number, Size: bytes, ETag: etag, ChecksumCRC32: sum } = part;
  if (number === undefined || bytes === undefined || etag === undefined)
    throw missing(attempted, 'number, size or ETag of a part');
  const crc32 = sum === undefined ? undefined : crcOfBase64(sum);
  return { number, bytes, etag, ...(crc32 !== undefined && { crc32 }) };
}

/**
 * All parts of the upload by ascending number.
 * @throws StoreError for a response that is not a list of parts, for a part without number, size or ETag, and if the list does not end
 */
export async function listPartsOf(attempted: string, fetchPage: FetchPage): Promise<readonly ListedPart[]> {
  const found: ListedPart[] = [];
  for await (const parts of pagesOf(attempted, fetchPage))
    for (const part of parts) found.push(toListedPart(attempted, part));
  return found.sort((a, b) => a.number - b.number);
}
