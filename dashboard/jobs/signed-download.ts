import { defined } from '#runtime/collections/optional.ts';
import type { StoreLocation } from '#runtime/store/store-location.ts';

export interface Archive {
  readonly store: StoreLocation;
  readonly bucketName: string;
  readonly key: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    /** Only of temporary credentials. */
    readonly sessionToken?: string;
  };
}

/** Time to start the download; a started download continues after it. */
const VALID_SECONDS = 60;

/** File name for the browser; `filename*` carries non-ASCII names (RFC 6266). */
export function dispositionOf(key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? 'archive.zip';
  const plain = name.replaceAll(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** A presigned URL of one archive, valid for a minute. Nothing goes over the network, and neither credentials nor URL are kept. */
export async function signedDownload({ store, bucketName, key, credentials }: Archive): Promise<string> {
  // Loaded on the first download: most processes never need them.
  const [{ GetObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const client = new S3Client({
    region: store.region,
    ...defined({ endpoint: store.endpoint }),
    forcePathStyle: store.pathStyle,
    credentials,
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  const command = new GetObjectCommand({
    Bucket: bucketName,
    Key: key,
    ResponseContentDisposition: dispositionOf(key),
    ResponseContentType: 'application/zip',
  });
  try {
    return await getSignedUrl(client, command, { expiresIn: VALID_SECONDS });
  } finally {
    client.destroy();
  }
}
