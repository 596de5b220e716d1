import type { GetObjectCommandInput } from '@aws-sdk/client-s3';
import { AppError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import { defined } from '#runtime/optional.ts';
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

function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

interface HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
}

function isHttpRequest(value: unknown): value is HttpRequest {
  return (
    isRecord(value) &&
    typeof value['hostname'] === 'string' &&
    typeof value['path'] === 'string' &&
    isRecord(value['query'])
  );
}

function urlOf({ protocol, hostname, port, path, query }: HttpRequest): string {
  const pairs = Object.entries(query).map(([name, value]) => `${encode(name)}=${encode(String(value))}`);
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}?${pairs.join('&')}`;
}

interface Presigner {
  presign(request: unknown, options: { readonly expiresIn: number }): Promise<unknown>;
}

function isPresigner(value: unknown): value is Presigner {
  return (
    typeof value === 'object' && value !== null && 'presign' in value && typeof value.presign === 'function'
  );
}

function unsigned(): AppError {
  return new AppError('The S3 client returned no presigned URL', { code: 'NotSigned', retryable: false });
}

/** Signs only the host header; the payload is unsigned. */
function bare(request: HttpRequest) {
  return {
    ...request,
    method: 'GET',
    headers: {
      host: request.port === undefined ? request.hostname : `${request.hostname}:${request.port}`,
      'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
    },
  };
}

/**
 * A presigned URL of one archive, valid for a minute. The S3 client builds the request and signs it instead of sending it, so
 * nothing goes over the network. Neither the credentials nor the URL are kept.
 */
export async function signedDownload({ store, bucketName, key, credentials }: Archive): Promise<string> {
  // Loaded on the first download: most processes never need it.
  const { GetObjectCommand, S3Client } = await import('@aws-sdk/client-s3');
  const client = new S3Client({
    region: store.region,
    ...defined({ endpoint: store.endpoint }),
    forcePathStyle: store.pathStyle,
    credentials,
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  let address: string | undefined;
  client.middlewareStack.add(
    () => async (args) => {
      const signer: unknown = await client.config.signer({
        name: 'sigv4',
        signingName: 's3',
        signingRegion: store.region,
        properties: {},
      });
      if (!isPresigner(signer) || !isHttpRequest(args.request)) throw unsigned();
      const signed = await signer.presign(bare(args.request), { expiresIn: VALID_SECONDS });
      if (isHttpRequest(signed)) address = urlOf(signed);
      return { response: {}, output: { $metadata: {} } };
    },
    { step: 'build', name: 'signInsteadOfSending', priority: 'low' },
  );
  const input: GetObjectCommandInput = {
    Bucket: bucketName,
    Key: key,
    ResponseContentDisposition: dispositionOf(key),
    ResponseContentType: 'application/zip',
  };
  try {
    await client.send(new GetObjectCommand(input));
  } finally {
    client.destroy();
  }
  if (address === undefined) throw unsigned();
  return address;
}
