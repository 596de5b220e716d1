import { expect } from 'chai';
import { bucketResourceName, zipJobName } from '#crds/api-group.ts';
import { SERVICES, type Service, type ZipJob } from '#crds/zip-job.ts';
import { bucketOf, fileCount, isUuid, uuidOfName, zipJobId } from '#crds/zip-job-facts.ts';

const UUID = '3f0c7a52-6f0e-4f1c-9a55-0d7d1c1f0a11';
const UID = 'b9a1c0de-0000-4000-8000-000000000001';

function named(name: string, uid?: string): Pick<ZipJob, 'metadata'> {
  return {
    metadata: { name, namespace: 'team-a', ...(uid === undefined ? {} : { uid }) },
  };
}

function specOf(spec: Partial<ZipJob['spec']>): Pick<ZipJob, 'spec'> {
  return {
    spec: { bucketRef: { name: 's3-archive' }, key: 'k', ...spec },
  };
}

describe('facts of a ZipJob', () => {
  const ids: readonly (readonly [title: string, Pick<ZipJob, 'metadata'>, string])[] = [
    ['the UUID in the name of a job created by the API', named(zipJobName(UUID), UID), UUID],
    ['the UID of a job created with kubectl', named('nightly', UID), UID],
    ['the UID if the name only resembles one of the API', named(`zip-${UUID}-2`, UID), UID],
    ['the UID if the UUID in the name is in upper case', named(`zip-${UUID.toUpperCase()}`, UID), UID],
    ['the UID if the name is a UUID without the prefix', named(UUID, UID), UID],
  ];
  for (const [title, job, id] of ids) it(`zipJobId is ${title}`, () => expect(zipJobId(job)).to.equal(id));

  it('zipJobId refuses a kubectl job that is not stored yet', () => {
    expect(() => zipJobId(named('nightly'))).to.throw('has no uid');
  });

  it('uuidOfName reverses zipJobName', () => {
    expect(uuidOfName(zipJobName(UUID))).to.equal(UUID);
    expect(uuidOfName(zipJobName(''))).to.equal(undefined);
    expect(uuidOfName(`re${zipJobName(UUID)}`)).to.equal(undefined);
    expect(isUuid(UUID)).to.equal(true);
    expect(isUuid(` ${UUID}`)).to.equal(false);
  });

  const buckets: readonly (readonly [title: string, Partial<ZipJob['spec']>, Service, string])[] = [
    ['names its service', { service: 'r2', bucketRef: { name: 'r2-cold' } }, 'r2', 'cold'],
    ['leaves its service out', { bucketRef: { name: 'r2-cold' } }, 'r2', 'cold'],
    ['is on S3 and leaves its service out', { bucketRef: { name: 's3-hot' } }, 's3', 'hot'],
    ['has a bucket that is called like a service', { bucketRef: { name: 's3-r2-cold' } }, 's3', 'r2-cold'],
    ['has a bucket with dots', { bucketRef: { name: 's3-files.example.com' } }, 's3', 'files.example.com'],
    ['has no prefix of a service (UI17)', { bucketRef: { name: 'reports' } }, 's3', 'reports'],
    [
      'has a dash, but no prefix of a service (UI17)',
      { bucketRef: { name: 'my-bucket' } },
      's3',
      'my-bucket',
    ],
    [
      'names a service that its bucket lacks (UI17)',
      { service: 'r2', bucketRef: { name: 'r20' } },
      'r2',
      'r20',
    ],
  ];
  for (const [title, spec, service, name] of buckets)
    it(`bucketOf reads service and name from bucketRef of a job that ${title}`, () =>
      expect(bucketOf(specOf(spec))).to.deep.equal({ service, name }));

  it('bucketOf reverses bucketResourceName for every service', () => {
    for (const service of SERVICES)
      expect(bucketOf(specOf({ bucketRef: { name: bucketResourceName(service, 'reports') } }))).to.deep.equal(
        {
          service,
          name: 'reports',
        },
      );
  });

  const FILE = { url: 'https://a/b', filename: 'b' };
  const stored = { secretNames: ['n-files-0'], encoding: 'gzip+json', count: 9_000, sha256: '' } as const;
  const counts: readonly (readonly [title: string, Partial<ZipJob['spec']>, number])[] = [
    ['the length of an inline list', { files: [FILE, FILE] }, 2],
    ['the count of a stored list', { filesFrom: stored }, 9_000],
    ['0 without a list', {}, 0],
  ];
  for (const [title, spec, count] of counts)
    it(`fileCount is ${title}`, () => expect(fileCount(specOf(spec))).to.equal(count));
});
