import type { Bucket } from '#administration/buckets/bucket-view.ts';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';

/** Placeholders for a bucket that does not exist yet. */
const NO_BUCKET = {
  bucketName: 'BUCKET',
  service: SPEC_DEFAULTS.service,
  region: null,
  host: null,
  accountId: null,
  endpoint: null,
} as const satisfies FirstValues['bucket'];

export interface FirstValues {
  readonly namespace: string;
  /** Undefined when there is none, or none that the user is allowed to see. */
  readonly bucket:
    | Pick<Bucket, 'bucketName' | 'service' | 'region' | 'host' | 'accountId' | 'endpoint'>
    | undefined;
}

/**
 * The sample request. The token is a placeholder because its value is not stored. `apiUrl`: of the API without /v1/zips; `''`
 * when unknown.
 */
export function firstRequest({
  apiUrl,
  bucket = NO_BUCKET,
}: Pick<FirstValues, 'bucket'> & { readonly apiUrl: string }): string {
  const body = {
    bucket_name: bucket.bucketName,
    ...(bucket.service === SPEC_DEFAULTS.service ? {} : { service: bucket.service }),
    key: 'first.zip',
    urls: [{ url: 'https://example.com/', filename: 'example.html' }],
  };
  return [
    ...(apiUrl === '' ? ['ZIPJOBS_URL=https://API_HOST'] : []),
    'ZIPJOBS_TOKEN=PASTE_TOKEN',
    `curl -X POST "${apiUrl === '' ? '$ZIPJOBS_URL' : apiUrl}/v1/zips" \\`,
    '  -H "Authorization: Bearer $ZIPJOBS_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

function placeOf({ service, region, host, accountId, endpoint }: FirstValues['bucket'] & object): string {
  const place =
    service === 'r2'
      ? `--account-id ${accountId ?? 'ACCOUNT_ID'} --host ${host ?? 'HOST'}`
      : `--region ${region ?? 'REGION'}`;
  return `${place}${endpoint === null ? '' : ` --endpoint ${endpoint}`}`;
}

/** What is left to do. */
export interface OpenSteps {
  readonly bucket: boolean;
  readonly test: boolean;
  readonly token: boolean;
  readonly request: boolean;
}

/** The steps that are left, with the command line; `''` without any. */
export function firstCommands({ namespace, bucket = NO_BUCKET }: FirstValues, open: OpenSteps): string {
  const service = bucket.service === SPEC_DEFAULTS.service ? '' : ` --service ${bucket.service}`;
  const named = `${bucket.bucketName}${service}`;
  const commands = {
    bucket: `zipjobs bucket create ${named} ${placeOf(bucket)}`,
    test: `zipjobs bucket test ${named}`,
    token: 'zipjobs token create first',
    request: `zipjobs job create --bucket ${named} --key first.zip https://example.com/ --wait`,
  };
  return (['bucket', 'test', 'token', 'request'] as const)
    .filter((step) => open[step])
    .map((step) => `${commands[step]} -n ${namespace}`)
    .join('\n');
}
