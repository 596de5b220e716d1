import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import type { NewJob } from '#administration/jobs/new-jobs.ts';
import { TEST_PREFIX } from '../live/listed-job.ts';

const FILES = [
  {
    filename: 'readme.txt',
    text: 'zipjobs created this archive to test your bucket. You can delete it.\n',
  },
  { filename: 'data/numbers.csv', text: 'number,square\n1,1\n2,4\n3,9\n' },
] as const;

/** An archive whose files are in their URLs, so that it needs no other server. No option of a project closes such URLs. */
export function testArchive(bucket: BucketRef, uuid: string, now: Date): NewJob {
  return {
    uuid,
    service: bucket.service,
    bucketName: bucket.bucketName,
    key: `${TEST_PREFIX}${now.toISOString().slice(0, 19).replaceAll(':', '-')}.zip`,
    files: FILES.map(({ filename, text }) => ({ filename, url: `data:text/plain;base64,${btoa(text)}` })),
  };
}
