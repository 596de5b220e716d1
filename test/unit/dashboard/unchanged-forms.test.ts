import { expect } from 'chai';
import { PROJECT_NAME } from '#crds/api-group.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import type { ZipBucketSpec } from '#crds/zip-bucket.ts';
import { WEBHOOK_EVENTS } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { createRandom, type Random } from '#test/support/random.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { certificateText } from '#test/support/servers/tls-front.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const ROUNDS = 12;

/** The value, or nothing. */
function maybe<Name extends string, T>(random: Random, name: Name, make: () => T): { [N in Name]?: T } {
  return (random.next() < 0.6 ? { [name]: make() } : {}) as { [N in Name]?: T };
}

const WORDS = ['no-store', ' padded ', 'a=b=c', 'a, b', '<b>"&amp;\'', 'ä', 'tab\tin'] as const;
const NAMES = ['team', 'cost=center', ' led', 'a.b', '__proto__'] as const;
const VALUES = [...WORDS, '', '=', '42 '] as const;

function textsOf(random: Random): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NAMES.filter(() => random.next() < 0.4).map((name) => [name, random.pick(VALUES)] as const),
  );
}

function commonOptions(random: Random) {
  return {
    ...maybe(random, 'storageClass', () => 'STANDARD_IA'),
    ...maybe(random, 'cacheControl', () => random.pick(WORDS)),
    ...maybe(random, 'contentDisposition', () => random.pick(WORDS)),
    ...maybe(random, 'metadata', () => textsOf(random)),
    ...maybe(random, 'tags', () => textsOf(random)),
    ...maybe(random, 'ofNewerVersion', () => ({ some: 'value' })),
  };
}

function bucketSpec(random: Random): Partial<ZipBucketSpec> {
  return {
    region: random.pick(['eu-central-1', 'us-east-1']),
    ...maybe(random, 'endpoint', () => 'https://s3.example.com'),
    ...maybe(random, 'caBundle', () => random.pick(['', '# ours\n']) + certificateText('ca.pem')),
    ...maybe(random, 'objectOptions', () => ({
      ...commonOptions(random),
      ...maybe(random, 'onConflict', () => random.pick(['fail', 'replace'] as const)),
      ...maybe(random, 'serverSideEncryption', () => random.pick(['aws:kms', 'aws:kms:dsse']) as 'aws:kms'),
      ...maybe(random, 'bucketKeyEnabled', () => random.pick([true, false])),
    })),
    ...maybe(random, 'ofNewerVersion', () => ['value']),
  };
}

function roleSpec(random: Random): Partial<ZipBucketSpec> {
  return {
    region: 'eu-central-1',
    credentials: {
      webIdentity: {
        roleArn: `arn:aws:iam::123456789012:role/zips-${random.int(1, 99)}`,
        audience: 'sts.amazonaws.com',
        ...random.pick([{ stsRegion: 'eu-central-1' }, { stsEndpoint: 'https://sts.example.com/' }]),
        ...maybe(random, 'durationSeconds', () => random.int(900, 43_200)),
        ...maybe(random, 'ofNewerVersion', () => 1),
      },
    },
  };
}

function jobDefaults(random: Random) {
  return {
    ...maybe(random, 'compression', () => random.pick(['auto', 'zstd'])),
    ...maybe(random, 'sha256', () => random.pick([true, false])),
    ...maybe(random, 'manifestEntry', () => random.pick(WORDS)),
    ...maybe(random, 'maxAttempts', () => random.int(1, 10)),
    ...maybe(random, 'ttlSecondsAfterFinished', () => maybe(random, 'failed', () => 86_400)),
    ...maybe(random, 'objectOptions', () => commonOptions(random)),
    ...maybe(random, 'ofNewerVersion', () => ({ some: 'value' })),
  };
}

function endpoint(random: Random) {
  return {
    url: 'https://hooks.example.com/',
    ...maybe(random, 'events', () => random.pick([['FAILED'], ['COMPLETED'], ['FAILED', 'COMPLETED']])),
    ...maybe(random, 'enabled', () => random.pick([true, false])),
    ...maybe(random, 'ofNewerVersion', () => 'x'),
  };
}

function roleOf(count: number, stsRegion = 'eu-central-1') {
  return {
    webIdentity: {
      roleArn: `arn:aws:iam::123456789012:role/zips-${count}`,
      audience: 'sts.amazonaws.com',
      stsRegion,
    },
  };
}

interface SettingsCase {
  readonly what: string;
  /** Of the form. */
  readonly path: string;
  /** Stores an object whose part is random. */
  readonly put: (project: DashboardProject, random: Random) => void;
  /** Of the object. */
  readonly object: string;
}

function ofProject(
  slug: string,
  specOf: (random: Random) => Readonly<Record<string, unknown>>,
): SettingsCase {
  return {
    what: `${slug} of a project`,
    path: slug.startsWith('webhook') ? `${HOME}/${slug}` : `${HOME}/settings/${slug}`,
    object: `${COLLECTIONS.projects}/${PROJECT_NAME}`,
    put: (project, random) => project.putProject(specOf(random) as ZipProject['spec']),
  };
}

function ofBucket(slug: string, specOf: (random: Random) => Partial<ZipBucketSpec>): SettingsCase {
  return {
    what: `${slug} of a bucket`,
    path: `${HOME}/buckets/s3/reports/${slug}`,
    object: `${COLLECTIONS.buckets}/s3-reports`,
    put: (project, random) =>
      project.putBucket({
        ...aBucket(TEAM, 's3', 'reports'),
        spec: { service: 's3', bucketName: 'reports', ...specOf(random) },
      }),
  };
}

const CASES: readonly SettingsCase[] = [
  ofProject('general', (random) => maybe(random, 'displayName', () => random.pick(WORDS) + random.int(1, 9))),
  ofProject('limits', (random) =>
    maybe(random, 'limits', () => ({
      ...maybe(random, 'activeJobs', () => random.int(1, 100)),
      ...maybe(random, 'storedBytes', () => random.pick([1, 1_536, 2 ** 30, Number.MAX_SAFE_INTEGER])),
      ...maybe(random, 'ofNewerVersion', () => 5),
    })),
  ),
  ofProject('job-defaults', (random) => maybe(random, 'jobDefaults', () => jobDefaults(random))),
  ofProject('caller-options', (random) =>
    maybe(random, 'callerOptions', () => ({
      ...maybe(random, 'closed', () =>
        ['of_newer_version', ...CALLER_OPTIONS].filter(() => random.next() < 0.3).toReversed(),
      ),
      ...maybe(random, 'ofNewerVersion', () => true),
    })),
  ),
  ofProject('retention', (random) => maybe(random, 'historyRetentionDays', () => random.int(1, 3_650))),
  ofProject('webhook', (random) => ({ webhook: endpoint(random) })),
  ofProject('webhook/endpoints/audit', (random) => ({
    webhook: {
      url: 'https://hooks.example.com/',
      endpoints: [
        { name: 'first', events: ['FAILED'] },
        { ...endpoint(random), name: 'audit' },
      ],
    },
  })),
  ofBucket('settings', bucketSpec),
  ofBucket('credentials', roleSpec),
];

describe('the forms of settings', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject({ STORE_ALLOWED_HOSTS: 's3.example.com' });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function specOf(path: string): unknown {
    return project.objects.get(path)?.['spec'];
  }
  async function open(path: string): Promise<URLSearchParams> {
    return unchangedForm((await project.ada.get(path)).text, path);
  }

  for (const { what, path, object, put } of CASES) {
    it(`change nothing if that of ${what} is saved as it is (UI19)`, async () => {
      const random = createRandom(19);
      for (let round = 0; round < ROUNDS; round += 1) {
        put(project, random);
        const before = structuredClone(specOf(object));
        const form = await open(path);
        const { text } = await project.ada.post(path, form);
        expect(specOf(object), `${JSON.stringify(before)} and the form ${form.toString()}`).to.deep.equal(
          before,
        );
        expect(text).to.not.contain('id="form-errors"');
      }
    });

    it(`keep what another user saved while that of ${what} was open (UI1, UI43)`, async () => {
      const random = createRandom(1);
      const statuses = new Set<number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        put(project, random);
        const before = JSON.stringify(specOf(object));
        const form = await open(path);
        while (JSON.stringify(specOf(object)) === before) put(project, random);
        const saved = structuredClone(specOf(object));
        const { status, text } = await project.ada.post(path, form);
        expect(specOf(object)).to.deep.equal(saved);
        // Not every difference is one of the form.
        if (status === 422) expect(text).to.contain('Someone else changed these settings');
        statuses.add(status);
      }
      expect(statuses).to.include(422);
    });
  }

  it('keep the other changes of another user when they are sent again after a conflict (UI1)', async () => {
    function s3(objectOptions: ZipBucketSpec['objectOptions']) {
      return project.putBucket({
        ...aBucket(TEAM, 's3', 'reports'),
        spec: {
          service: 's3',
          bucketName: 'reports',
          region: 'eu-central-1',
          objectOptions: objectOptions ?? {},
        },
      });
    }
    const both = [
      {
        path: `${HOME}/settings/limits`,
        put: (storedJobs: number) => project.putProject({ limits: { storedJobs, activeJobs: 9 } }),
        own: { activeJobs: '5' },
        stored: { limits: { activeJobs: 5, storedJobs: 2 } },
      },
      {
        path: `${HOME}/settings/job-defaults`,
        put: (maxAttempts: number) => project.putProject({ jobDefaults: { maxAttempts } }),
        own: { cacheControl: 'no-store' },
        stored: { jobDefaults: { maxAttempts: 2, objectOptions: { cacheControl: 'no-store' } } },
      },
      {
        path: `${HOME}/buckets/s3/reports/settings`,
        put: (count: number) => s3({ tags: { count: String(count) } }),
        own: { cacheControl: 'no-store' },
        stored: { objectOptions: { cacheControl: 'no-store', tags: { count: '2' } } },
      },
      {
        path: `${HOME}/buckets/s3/reports/credentials`,
        put: (count: number) =>
          project.putBucket({
            ...aBucket(TEAM, 's3', 'reports'),
            spec: {
              service: 's3',
              bucketName: 'reports',
              region: 'eu-central-1',
              credentials: roleOf(count),
            },
          }),
        own: { stsRegion: 'eu-west-1' },
        stored: { credentials: roleOf(2, 'eu-west-1') },
      },
      {
        path: `${HOME}/webhook`,
        put: (count: number) =>
          project.putProject({ webhook: { events: count === 1 ? [...WEBHOOK_EVENTS] : ['FAILED'] } }),
        own: { url: 'https://hooks.example.com/' },
        stored: { webhook: { events: ['FAILED'] } },
      },
    ];
    for (const { path, put, own, stored } of both) {
      put(1);
      const form = await open(path);
      put(2);
      for (const [name, value] of Object.entries(own)) form.set(name, value);
      const refused = await project.ada.post(path, form);
      expect([refused.status, refused.text]).to.deep.include(422);
      const again = unchangedForm(refused.text, path);
      for (const [name, value] of Object.entries(own)) expect(again.get(name), name).to.equal(value);
      const { status } = await project.ada.post(path, again);
      expect(status, path).to.be.oneOf([200, 303]);
      const object = path.includes('/buckets/')
        ? `${COLLECTIONS.buckets}/s3-reports`
        : `${COLLECTIONS.projects}/${PROJECT_NAME}`;
      expect(specOf(object)).to.deep.include(stored);
    }
  });

  it('change only the field that was changed (UI19)', async () => {
    const objectOptions = {
      tags: { 'cost=center': ' 42 ' },
      metadata: { note: 'a=b, c' },
      cacheControl: 'no-store',
    };
    project.putProject({ jobDefaults: { objectOptions, manifestEntry: ' a.json ' } });
    project.putBucket({
      ...aBucket(TEAM, 's3', 'reports'),
      spec: { service: 's3', bucketName: 'reports', region: 'eu-central-1', objectOptions },
    });
    for (const { path, object } of CASES.filter((one) => /job-defaults|buckets.*settings/.test(one.path))) {
      const before = JSON.stringify(specOf(object));
      const form = await open(path);
      form.set('cacheControl', 'max-age=1');
      const { status, text } = await project.ada.post(path, form);
      expect(status, text.slice(text.indexOf('id="form-errors"')).slice(0, 300)).to.equal(303);
      expect(specOf(object)).to.deep.equal(JSON.parse(before.replace('no-store', 'max-age=1')));
    }
  });
});
