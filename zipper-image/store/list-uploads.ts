/** Lists the incomplete uploads of one key. */
import type { ListMultipartUploadsCommandInput, ListMultipartUploadsCommandOutput } from '@aws-sdk/client-s3';
import { missing } from './part-verification.ts';
import { StoreError } from './store-errors.ts';

/** An upload in a listing, which does not contain the metadata. */
export interface ListedUpload {
  readonly key: string;
  readonly uploadId: string;
  readonly initiated: Date | undefined;
  /** The user that started it, if the store reports it. */
  readonly initiator: string | undefined;
}

type Page = ListMultipartUploadsCommandOutput;
type Marker = Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'>;

export interface UploadListing {
  readonly key: string;
  /** The operation and its bucket, for errors. */
  readonly attempted: string;
  readonly fetchPage: (input: Omit<ListMultipartUploadsCommandInput, 'Bucket'>) => Promise<Page>;
}

/** No key has this many thousand uploads at a time. */
const MOST_PAGES = 10;

function uploadsOf({ Uploads: uploads = [] }: Page, key: string): readonly ListedUpload[] {
  return uploads.flatMap(({ Key, UploadId, Initiated, Initiator }) =>
    Key === key && UploadId !== undefined
      ? [{ key, uploadId: UploadId, initiated: Initiated, initiator: Initiator?.ID }]
      : [],
  );
}

/** Undefined after the last page. Keys are listed in order, and a key comes before all longer keys. */
function nextMarker(page: Page, { key, attempted }: UploadListing): Marker | undefined {
  const last = page.Uploads?.at(-1)?.Key;
  if (page.IsTruncated !== true || (last !== undefined && last !== key)) return undefined;
  const { NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
  if (KeyMarker === undefined) throw missing(attempted, 'marker of the next page');
  return { KeyMarker, UploadIdMarker };
}

/**
 * Reads every page: a page may be empty although others follow.
 * @throws StoreError for a response that is not a listing, which must not count as an empty one
 */
export async function listUploadsOf(listing: UploadListing): Promise<readonly ListedUpload[]> {
  const { key, attempted, fetchPage } = listing;
  const found: ListedUpload[] = [];
  let marker: Marker = {};
  for (let pages = 1; pages <= MOST_PAGES; pages += 1) {
    const page = await fetchPage({ Prefix: key, MaxUploads: 1000, ...marker });
    if ((page.Uploads ?? page.IsTruncated ?? page.Bucket) === undefined) throw missing(attempted, 'listing');
    found.push(...uploadsOf(page, key));
    const next = nextMarker(page, listing);
    if (!next) return found;
    marker = next;
  }
  throw new StoreError(`${attempted}: the key has more than ${MOST_PAGES} pages of uploads`, {
    code: 'StoreUnavailable',
    retryable: false,
    storeCode: 'ListingTooLong',
  });
}
