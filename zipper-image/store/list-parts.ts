/** Whether an upload has parts. */
import type { ListPartsCommandInput, ListPartsCommandOutput } from '@aws-sdk/client-s3';
import { missing } from './part-verification.ts';

type Page = Pick<ListPartsCommandInput, 'PartNumberMarker'>;

/** More pages than the parts of any upload. */
const MOST_PAGES = 100;

/**
 * Reads pages until one has a part: a page may be empty although others follow.
 * @throws StoreError for a response that is not a list of parts, which must not count as an empty one
 */
export async function hasParts(
  attempted: string,
  fetchPage: (page: Page) => Promise<ListPartsCommandOutput>,
): Promise<'empty' | 'parts'> {
  let page: Page = {};
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const { Parts: parts, UploadId: id, IsTruncated, NextPartNumberMarker } = await fetchPage(page);
    if ((parts ?? id) === undefined) throw missing(attempted, 'list of parts');
    if ((parts ?? []).length > 0) return 'parts';
    if (IsTruncated !== true) return 'empty';
    if (NextPartNumberMarker === undefined) throw missing(attempted, 'marker of the next page');
    page = { PartNumberMarker: NextPartNumberMarker };
  }
  throw missing(attempted, 'part on any page');
}
