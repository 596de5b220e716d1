import { randomBytes } from 'node:crypto';

/** Length of each URL. */
const URL_LENGTH = 1_964;

/**
 * A request for this number of files, whose URLs are like those that a role presigns, and as hard to compress; each ends with the
 * secret.
 */
export function presignedRequest(options: {
  readonly bucketName: string;
  readonly key: string;
  readonly count: number;
  /** URL of the n-th file, without a query. */
  readonly url: (index: number) => string;
  readonly secret: string;
}): string {
  const { bucketName, key, count, url, secret } = options;
  function presigned(index: number): string {
    const start = `${url(index)}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Security-Token=`;
    const end = `&X-Amz-Signature=${secret}`;
    const token = randomBytes(URL_LENGTH).toString('base64url');
    return `${start}${token.slice(0, Math.max(0, URL_LENGTH - start.length - end.length))}${end}`;
  }
  const urls = Array.from({ length: count }, (_, index) => ({
    url: presigned(index),
    filename: `files/${String(index).padStart(5, '0')}.bin`,
  }));
  return JSON.stringify({ bucket_name: bucketName, key, urls });
}
