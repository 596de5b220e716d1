import { type Bucket, certificatesOf } from '#administration/bucket-view.ts';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { toFields } from './table.ts';

export interface BucketArguments extends GlobalArguments {
  readonly bucket: string;
  readonly service: string;
}

export const refOf = ({ bucket, service }: BucketArguments) => ({ bucketName: bucket, service });

/** The arguments that identify the bucket in a suggested command. */
export const flagsOf = ({ bucket, service }: BucketArguments, { namespace }: Session): string =>
  `${bucket}${service === SPEC_DEFAULTS.service ? '' : ` --service ${service}`} -n ${namespace}`;

export const testOf = ({ lastTest }: Bucket): string | null =>
  lastTest && `${lastTest.ok ? 'ok' : lastTest.reason} ${lastTest.finishedAt}`;

/** The options that are set, as in the ZipBucket. */
const optionFields = ({ objectOptions }: Bucket): readonly (readonly [string, string])[] =>
  Object.keys(objectOptions).length === 0 ? [] : [['Object options', JSON.stringify(objectOptions)]];

const authorityFields = (bucket: Bucket): readonly (readonly [string, string])[] => {
  const count = certificatesOf(bucket);
  return count === 0 ? [] : [['CA bundle', `${count} ${count === 1 ? 'certificate' : 'certificates'}`]];
};

const described = (bucket: Bucket): string =>
  toFields([
    ['Bucket', bucket.bucketName],
    ['Service', bucket.service],
    ['Created', bucket.createdAt],
    ...(bucket.service === 's3'
      ? ([['Region', bucket.region]] as const)
      : ([
          ['Host', bucket.host],
          ['Account', bucket.accountId],
        ] as const)),
    ['Endpoint', bucket.endpoint],
    ...authorityFields(bucket),
    ...optionFields(bucket),
    ...(bucket.webIdentity ? ([['Role', bucket.webIdentity.roleArn]] as const) : []),
    ['Unfinished jobs', bucket.activeJobs],
    ['Last test', testOf(bucket)],
    ['Message', bucket.lastTest?.message ?? null],
    ...(bucket.lastTest?.remedy ? ([['Next step', bucket.lastTest.remedy]] as const) : []),
    ...(bucket.lastTest?.warning ? ([['Warning', bucket.lastTest.warning]] as const) : []),
    ...(bucket.deletingSince === null ? [] : ([['Deleting since', bucket.deletingSince]] as const)),
  ]);

export const outputOf = (bucket: Bucket): Output => ({ value: bucket, text: described(bucket) });
