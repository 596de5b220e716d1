import { S3Client } from '@aws-sdk/client-s3';
import { defined } from '#runtime/collections/optional.ts';
import type { HttpAgents } from '#runtime/egress/http-agents.ts';
import type { Provider } from './providers.ts';
import { isRenewable, type StoreCredentials } from './session.ts';
import type { StoreClock } from './store-clock.ts';

export interface S3ClientOptions {
  readonly provider: Provider;
  readonly credentials: StoreCredentials;
  readonly agents: HttpAgents;
  readonly connectTimeoutMs: number;
  /** Maximum time without a byte in either direction. */
  readonly idleTimeoutMs: number;
}

/** The agents limit the connection, and say why each address failed. The SDK's limit includes the wait for a free one. */
const FREE_CONNECTION_MS = 1000;

function hasHeaders(response: unknown): response is { headers: Record<string, string> } {
  return typeof response === 'object' && response !== null && 'headers' in response;
}

/** The SDK keeps credentials until five minutes before they expire. With this expiration it asks for each request. */
function forSdk(credentials: StoreCredentials) {
  return isRenewable(credentials)
    ? async () => ({ ...(await credentials.current()), expiration: new Date() })
    : credentials;
}

function dateIn(response: unknown): string | undefined {
  const headers = hasHeaders(response) ? response.headers : {};
  return headers['date'];
}

/** The SDK's client without its automatic behaviour: no retries, no redirects, no checksums. */
export function createS3Client(options: S3ClientOptions, clock: Pick<StoreClock, 'hear'>): S3Client {
  const { provider, agents } = options;
  const client = new S3Client({
    region: provider.region,
    ...defined({ endpoint: provider.endpoint }),
    forcePathStyle: provider.pathStyle,
    credentials: forSdk(options.credentials),
    maxAttempts: 1,
    // Not every store knows the headers of the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    followRegionRedirects: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
    ignoreConfiguredEndpointUrls: true,
    disableS3ExpressSessionAuth: true,
    defaultsMode: 'standard',
    retryMode: 'standard',
    userAgentAppId: 'zipjobs',
    requestHandler: {
      httpAgent: agents.httpAgent,
      httpsAgent: agents.httpsAgent,
      connectionTimeout: options.connectTimeoutMs + FREE_CONNECTION_MS,
      socketTimeout: options.idleTimeoutMs,
    },
  });
  client.middlewareStack.add(
    (next) => async (args) => {
      const sentMs = performance.now();
      const result = await next(args);
      clock.hear(dateIn(result.response), sentMs);
      return result;
    },
    { step: 'deserialize', name: 'storeClock', priority: 'low' },
  );
  return client;
}
