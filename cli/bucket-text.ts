import { type Bucket, certificatesOf } from '#administration/buckets/bucket-view.ts';
import { SPEC_DEFAULTS } from '#crds/zip-job.ts';
import { resultMark } from './decoration.ts';
import type { GlobalArguments } from './global-arguments.ts';
import type { Output } from './output.ts';
import type { Session } from './session.ts';
import { type Cell, toFields } from './table.ts';

export interface BucketArguments extends GlobalArguments {
  readonly bucket: string;
  readonly service: string;
}

export function refOf({ bucket, service }: BucketArguments) {
  return { bucketName: bucket, service };
}

/** The arguments that identify the bucket in a suggested command. */
export function flagsOf({ bucket, service }: BucketArguments, { namespace }: Session): string {
  return `${bucket}${service === SPEC_DEFAULTS.service ? '' : ` --service ${service}`} -n ${namespace}`;
}

export function testOf({ lastTest }: Bucket, isDecorated: boolean): Cell {
  return (
    lastTest &&
    resultMark(`${lastTest.ok ? 'ok' : lastTest.reason} ${lastTest.finishedAt}`, lastTest.ok, isDecorated)
  );
}

export function readableOf({ readable }: Bucket): string {
  return readable ? 'yes' : 'no';
}

/** The options that are set, as in the ZipBucket. */
function optionFields({ objectOptions }: Bucket): readonly (readonly [string, string])[] {
  return Object.keys(objectOptions).length === 0 ? [] : [['Object options', JSON.stringify(objectOptions)]];
}

function authorityFields(bucket: Bucket): readonly (readonly [string, string])[] {
  const count = certificatesOf(bucket);
  return count === 0 ? [] : [['CA bundle', `${count} ${count === 1 ? 'certificate' : 'certificates'}`]];
}

function described(bucket: Bucket, isDecorated: boolean): string {
  return toFields([
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
    ['Readable', readableOf(bucket)],
    ...authorityFields(bucket),
    ...optionFields(bucket),
    ...(bucket.webIdentity ? ([['Role', bucket.webIdentity.roleArn]] as const) : []),
    ['Unfinished jobs', bucket.activeJobs],
    ['Last test', testOf(bucket, isDecorated)],
    ['Message', bucket.lastTest?.message ?? null],
    ...(bucket.lastTest?.remedy ? ([['Next step', bucket.lastTest.remedy]] as const) : []),
    ...(bucket.lastTest?.warning ? ([['Warning', bucket.lastTest.warning]] as const) : []),
    ...(bucket.deletingSince === null ? [] : ([['Deleting since', bucket.deletingSince]] as const)),
  ]);
}

export function outputOf(bucket: Bucket, { terminal }: Session): Output {
  return { value: bucket, text: described(bucket, terminal.isDecorated) };
}
