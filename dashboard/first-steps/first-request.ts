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
  /** URL of the API without /v1/zips; `''` when unknown. */
  readonly apiUrl: string;
  readonly namespace: string;
  /** Undefined when there is none, or none that the user is allowed to see. */
  readonly bucket:
    | Pick<Bucket, 'bucketName' | 'service' | 'region' | 'host' | 'accountId' | 'endpoint'>
    | undefined;
}

/** The sample request. The token is a placeholder because its value is not stored. */
export function firstRequest({ apiUrl, bucket = NO_BUCKET }: FirstValues): string {
  const body = {
    bucket_name: bucket.bucketName,
    ...(bucket.service === SPEC_DEFAULTS.service ? {} : { service: bucket.service }),
    key: 'first.zip',
    urls: [{ url: 'https://example.com/', filename: 'example.html' }],
  };
  return [
    `curl -X POST "${apiUrl === '' ? '$ZIPJOBS_URL' : apiUrl}/v1/zips" \\`,
    '  -H "Authorization: Bearer $ZIPJOBS_TOKEN" \\',
    '  -H "Content-Type: application/json" \\',
    `  -d '${JSON.stringify(body)}'`,
  ].join('\n');
}

function optionsOf(bucket: FirstValues['bucket'] & object): string {
  const { service, region, host, accountId, endpoint } = bucket;
  const place =
    service === 'r2'
      ? ` --account-id ${accountId ?? 'ACCOUNT_ID'} --host ${host ?? 'HOST'}`
      : ` --region ${region ?? 'REGION'}`;
  return `${place}${endpoint === null ? '' : ` --endpoint ${endpoint}`}`;
}

/** The same steps with the CLI. */
export function firstCommands({ namespace, bucket = NO_BUCKET }: FirstValues): string {
  const named = `${bucket.bucketName}${bucket.service === SPEC_DEFAULTS.service ? '' : ` --service ${bucket.service}`}`;
  return [
    `zipjobs bucket create ${named}${optionsOf(bucket)} -n ${namespace}`,
    `zipjobs bucket test ${named} -n ${namespace}`,
    `ZIPJOBS_TOKEN=$(zipjobs token create first --quiet -n ${namespace})`,
    `zipjobs job list -n ${namespace}`,
  ].join('\n');
}
