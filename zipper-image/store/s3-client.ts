import { S3Client } from '@aws-sdk/client-s3';
import type { HttpAgents } from '#runtime/egress/http-agents.ts';
import { defined } from '#runtime/optional.ts';
import type { Provider } from './providers.ts';

export interface S3ClientOptions {
  readonly provider: Provider;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  readonly agents: HttpAgents;
  readonly connectTimeoutMs: number;
  /** Longest time without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

const hasHeaders = (request: unknown): request is { headers: Record<string, string> } =>
  typeof request === 'object' && request !== null && 'headers' in request;

/** The SDK's client without all that it would do by itself: no retries, no redirects, no checksums of its own. */
export const createS3Client = (options: S3ClientOptions): S3Client => {
  const { provider, agents } = options;
  const client = new S3Client({
    region: provider.region,
    ...defined({ endpoint: provider.endpoint }),
    forcePathStyle: provider.pathStyle,
    credentials: options.credentials,
    maxAttempts: 1,
    // Checksums are computed once per part and given by us; the SDK's own would be a header that not every store knows.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    followRegionRedirects: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    disableS3ExpressSessionAuth: true,
    defaultsMode: 'standard',
    retryMode: 'standard',
    userAgentAppId: 'zipjobs',
    requestHandler: {
      httpAgent: agents.httpAgent,
      httpsAgent: agents.httpsAgent,
      connectionTimeout: options.connectTimeoutMs,
      socketTimeout: options.idleTimeoutMs,
    },
  });
  // A part's checksum is a signed header: hashing its bytes once more for the signature would only cost time.
  client.middlewareStack.add(
    (next, context) => (args) => {
      if (context.commandName === 'UploadPartCommand' && hasHeaders(args.request))
        args.request.headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build', name: 'unsignedPartBody', priority: 'low' },
  );
  return client;
};
