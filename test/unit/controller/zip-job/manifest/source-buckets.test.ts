import { expect } from 'chai';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aZipBucket, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { anUpload } from '#test/support/builders/zip-job-statuses.ts';
import { parseTask } from '#zipper-image/tasks/task.ts';

type Job = ReturnType<typeof archiveJob>;

const config = { ...aConfig({}), storeTokenAudiences: ['sts.example.com'] };
const webIdentity = {
  roleArn: 'arn:aws:iam::1:role/r',
  audience: 'sts.example.com',
  stsRegion: 'eu-west-1',
};

function named(name: string, spec: Parameters<typeof aZipBucket>[0] = {}) {
  const bucket = aZipBucket({ bucketName: name, readable: true, ...spec });
  return { ...bucket, metadata: { ...bucket.metadata, name: `s3-${name}` } };
}

function podOf(one: Job) {
  return one.spec?.template.spec;
}

function projectionsOf(one: Job) {
  return podOf(one)?.volumes?.find(({ name }) => name === 'sources')?.projected?.sources;
}

function keysOf(secret: string, index: number) {
  const items = ['accessKeyId', 'secretAccessKey'].map((key) => ({ key, path: `${index}/${key}` }));
  const session = [{ key: 'sessionToken', path: `${index}/sessionToken` }];
  return [{ secret: { name: secret, items } }, { secret: { name: secret, items: session, optional: true } }];
}

describe('the Job of files from buckets', () => {
  const zipJob = aZipJob({ spec: { sourceBuckets: ['s3-one', 's3-two'] } });

  it('mounts the keys or the token of each bucket, in the order of the task (SB6)', () => {
    const sourceBuckets = [
      named('one', { objectOptions: { cacheControl: 'no-store' } }),
      named('two', { credentials: { webIdentity } }),
    ];
    const job = archiveJob(zipJob, aZipBucket(), { ...config, sourceBuckets });
    const token = { path: '1/token', audience: 'sts.example.com', expirationSeconds: 3600 };
    expect(projectionsOf(job)).to.deep.equal([
      ...keysOf('zipbucket-s3-one', 0),
      { serviceAccountToken: token },
    ]);
    expect(podOf(job)?.containers[0]?.volumeMounts).to.deep.include({
      name: 'sources',
      mountPath: '/etc/zipjobs/sources',
      readOnly: true,
    });
    expect(job.metadata.labels).to.include({ 'zipjobs.dev/source-buckets': 'true' });
    const { region } = aZipBucket().spec;
    const task = parseTask(job.spec?.template.metadata?.annotations?.['zipjobs.dev/task'] ?? '');
    expect(task).to.have.deep.property('sourceBuckets', [
      { zipBucket: 's3-one', name: 'one', service: 's3', region },
      { zipBucket: 's3-two', name: 'two', service: 's3', region, webIdentity },
    ]);
  });

  it('mounts no token for an audience that the operator does not allow (X21)', () => {
    const sourceBuckets = [named('one', { credentials: { webIdentity } })];
    const job = archiveJob(zipJob, aZipBucket(), { ...config, storeTokenAudiences: [], sourceBuckets });
    expect(projectionsOf(job)).to.deep.equal([]);
  });

  it('gives a recovery pod no source bucket (SB6)', () => {
    const lost = {
      attempt: { n: 1, podUid: 'p' },
      upload: anUpload('open'),
      bucket: aZipBucket(),
      now: NOW,
    };
    expect(projectionsOf(recoveryJob(zipJob, lost, config))).to.equal(undefined);
  });
});
