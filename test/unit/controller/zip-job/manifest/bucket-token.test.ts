import { expect } from 'chai';
import { testJob } from '#controller/zip-bucket/test-manifest.ts';
import { archiveJob, recoveryJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aZipBucket, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { anUpload } from '#test/support/builders/zip-job-statuses.ts';
import { parseTask } from '#zipper-image/tasks/task.ts';

type Job = ReturnType<typeof archiveJob>;

function podOf(one: Job) {
  return one.spec?.template.spec;
}

/** The task, parsed as the zipper parses it. */
function taskOf(one: Job) {
  return parseTask(one.spec?.template.metadata?.annotations?.['zipjobs.dev/task'] ?? '');
}

describe('the Jobs of a bucket without keys', () => {
  const webIdentity = {
    roleArn: 'arn:aws:iam::1:role/r',
    audience: 'sts.example.com',
    stsRegion: 'eu-west-1',
  };
  const bucket = aZipBucket({ credentials: { webIdentity } });
  const attempt = { n: 1, podUid: 'p' };
  function jobs(storeTokenAudiences: readonly string[]) {
    const own = { ...aConfig({}), storeTokenAudiences };
    return [
      archiveJob(aZipJob(), bucket, own),
      recoveryJob(aZipJob(), { attempt, upload: anUpload('open'), bucket, now: NOW }, own),
      testJob(bucket, '1', { ...own, bucketTestSeconds: 1 }),
    ];
  }
  function volumeOf(one: Job) {
    return podOf(one)?.volumes?.find(({ name }) => name === 'bucket');
  }

  it('mount a token for its audience instead of a Secret, also for recovery and bucket test (X21)', () => {
    const token = { path: 'token', audience: 'sts.example.com', expirationSeconds: 3600 };
    for (const one of jobs(['sts.example.com'])) {
      expect(volumeOf(one)).to.deep.equal({
        name: 'bucket',
        projected: { sources: [{ serviceAccountToken: token }] },
      });
      expect(taskOf(one).bucket).to.deep.include({ webIdentity });
      expect(JSON.stringify(podOf(one))).not.to.contain('zipbucket-');
    }
  });

  it('mount no token for an audience that the operator does not allow (X21)', () => {
    for (const one of jobs(['another.example.com']))
      expect(volumeOf(one)).to.deep.equal({ name: 'bucket', emptyDir: {} });
  });
});
