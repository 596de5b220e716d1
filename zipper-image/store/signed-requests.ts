/** Requests for the objects of a bucket, with the place and the signature that the S3 client gives them. */
import type { S3Client } from '@aws-sdk/client-s3';
import { defined } from '#runtime/collections/optional.ts';
import type { StoreLocation } from '#runtime/store/store-location.ts';

interface UnsignedRequest {
  readonly method: 'GET' | 'PUT';
  /** Percent-encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Besides the host. */
  readonly headers: Readonly<Record<string, string>>;
}

/** As the connection handler of the S3 client takes it. */
interface SignedRequest extends UnsignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  /** With the host and the signature, which does not cover the body. */
  readonly headers: Record<string, string>;
}

export interface RequestSigner {
  /** Protocol, host and port. */
  readonly origin: string;
  pathOf(key: string): string;
  sign(request: UnsignedRequest, date: Date): Promise<SignedRequest>;
}

const UNRESERVED_BY_URLS = /[!'()*]/g;

/** Percent-encoded as the signature demands (RFC 3986), with the slashes of the key. */
function encodeKey(key: string): string {
  return encodeURIComponent(key)
    .replaceAll('%2F', '/')
    .replaceAll(UNRESERVED_BY_URLS, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The URL of the bucket. */
function locate(client: S3Client, bucket: string, { region, endpoint, pathStyle }: StoreLocation): URL {
  return client.config.endpointProvider({
    Bucket: bucket,
    Region: region,
    ...defined({ Endpoint: endpoint }),
    ForcePathStyle: pathStyle,
    UseFIPS: false,
    UseDualStack: false,
    Accelerate: false,
    UseArnRegion: false,
    DisableMultiRegionAccessPoints: true,
    DisableS3ExpressSessionAuth: true,
  }).url;
}

/** Signs with the credentials of the client. */
export function createRequestSigner(
  client: S3Client,
  bucket: string,
  location: StoreLocation,
): RequestSigner {
  const { protocol, hostname, port, host, origin, pathname } = locate(client, bucket, location);
  const place = { protocol, hostname, ...(port !== '' && { port: Number(port) }) };
  const scheme = { name: 'sigv4', signingName: 's3', signingRegion: location.region, properties: {} };
  let signer: ReturnType<typeof client.config.signer> | undefined;
  return {
    origin,
    pathOf: (key) => `${pathname.replace(/\/$/, '')}/${encodeKey(key)}`,
    sign: async (unsigned, date) => {
      // The checksum of a part is a signed header, so hashing its bytes for the signature would only cost time.
      const headers = { ...unsigned.headers, host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
      const request = { ...unsigned, ...place, headers };
      // Only now, so that a region that the client refuses fails this request.
      signer ??= client.config.signer(scheme);
      const signed = await (await signer).sign(request, { signingDate: date });
      return { ...request, headers: signed.headers };
    },
  };
}
