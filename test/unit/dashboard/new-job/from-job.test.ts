import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ListedFile, ZipJob, ZipJobSpec } from '#crds/zip-job.ts';
import { FILE_LIST_SECRET_KEY } from '#crds/zipper-contract.ts';
import { RESOURCES, type Secret } from '#runtime/kube/resources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const UUID = '6f1c0f4e-0000-4000-8000-000000000001';
const NAME = `zip-${UUID}`;
const PATH = `${HOME}/new-job`;
const FROM = `${PATH}?from=${UUID}`;
const FILES: readonly ListedFile[] = [
  { url: 'https://files.example.com/a.pdf?sig=SECRET', filename: 'report one.pdf' },
  { url: 'https://files.example.com/missing', filename: 'two.pdf' },
];
const FORM_RIGHTS = ['get zipprojects', 'list zipbuckets', 'get zipbuckets', 'get zipjobs', 'create zipjobs'];

describe('a new job from another one', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
    project.putBucket(aBucket(TEAM, 's3', 'other'));
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    put({});
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function put(
    spec: Partial<ZipJobSpec>,
    {
      files = FILES,
      metadata = {},
    }: { files?: readonly ListedFile[]; metadata?: Partial<ZipJob['metadata']> } = {},
  ): void {
    const half = Math.ceil(files.length / 2);
    const chunks = [files.slice(0, half), files.slice(half)];
    const secretNames = chunks.map((_, index) => `${NAME}-files-${index}`);
    for (const [index, chunk] of chunks.entries()) {
      const lines = gzipSync(chunk.map((file) => `${JSON.stringify(file)}\n`).join(''));
      const secret: Secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace: TEAM, name: secretNames[index] ?? '' },
        data: { [FILE_LIST_SECRET_KEY]: lines.toString('base64') },
      };
      project.objects.put(COLLECTIONS.secrets, secret);
    }
    const filesFrom = { secretNames, encoding: 'gzip+json', count: files.length, sha256: '' } as const;
    const failure = { code: 'SourceNotFound', fileIndex: 1, httpStatus: 404, retriable: false };
    project.objects.put(
      COLLECTIONS.zipJobs,
      aZipJob({
        metadata: { namespace: TEAM, name: NAME, ...metadata },
        spec: { bucketRef: { name: 's3-reports' }, key: 'a/b.zip', metadata: '{}', filesFrom, ...spec },
        status: finishedAs('Failed', { failure }),
      }),
    );
  }
  async function formAt(path = FROM): Promise<URLSearchParams> {
    return unchangedForm((await project.ada.get(path)).text, PATH);
  }

  it('has its list, key and bucket, and creates the corrected job (Q-U22)', async () => {
    const form = await formAt();
    expect(form.get('key')).to.equal('a/b.zip');
    expect(form.get('bucket')).to.equal('s3/reports');
    expect(form.get('urls')).to.equal(FILES.map(({ url, filename }) => `${url} ${filename}`).join('\r\n'));
    form.set('urls', String(form.get('urls')).replace('/missing', '/found'));
    const { headers } = await project.ada.post(PATH, form);
    expect(headers.get('location')).to.match(new RegExp(`^${HOME}/jobs/zip-(?!${UUID})`));
    const created = project.server.requests.find(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.zipJobs,
    );
    expect(RESOURCES.zipJobs.decode(created?.body).spec.filesFrom?.count).to.equal(2);
    expect(project.server.logLines.join('')).to.not.contain('SECRET');
  });

  it('has the options and the metadata that the job does not have from its project (Q-U22)', async () => {
    project.putProject({
      jobDefaults: {
        compression: 'auto',
        portableNames: 'refuse',
        objectOptions: { cacheControl: 'no-store' },
      },
    });
    put({
      compression: 'auto',
      onSourceError: 'Skip',
      sha256: true,
      portableNames: 'keep',
      manifestFormat: 'bagit',
      metadata: '{"order":1.0}',
      objectOptions: { cacheControl: 'no-store', tags: { team: 'sales' } },
    });
    const form = await formAt();
    expect(Object.fromEntries([...form].filter(([, value]) => value !== ''))).to.include({
      onSourceError: 'Skip',
      sha256: 'true',
      manifestFormat: 'bagit',
      jobMetadata: '{"order":1.0}',
      tags: 'team=sales',
    });
    for (const name of ['compression', 'cacheControl', 'portableNames'])
      expect(form.get(name), name).to.equal('');
    await project.ada.post(PATH, form);
    const created = project.server.requests.find(
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.zipJobs,
    );
    expect(RESOURCES.zipJobs.decode(created?.body).spec).to.deep.include({
      compression: 'auto',
      onSourceError: 'Skip',
      sha256: true,
      portableNames: 'refuse',
      manifestFormat: 'bagit',
      metadata: '{"order":1.0}',
      objectOptions: { cacheControl: 'no-store', tags: { team: 'sales' } },
    });
  });

  it('says what is missing to users who may not read the stored list (N22)', async () => {
    const allowed = [...FORM_RIGHTS, 'create secrets'].map((right) => `${right} ${TEAM}`);
    project.server.tokens.set('ada-token', { name: 'ada', allowed });
    const { status, text } = await project.ada.get(FROM);
    expect(status).to.equal(200);
    expect(text)
      .to.contain('Its URLs are in the stored list of files.')
      .and.contain('not allowed to get secrets');
    expect(text).to.contain('value="a/b.zip"').and.not.contain('SECRET').and.not.contain('two.pdf');
    const reads = project.server.requests.filter(
      ({ method, path }) => method === 'GET' && path.startsWith(COLLECTIONS.secrets),
    );
    expect(reads).to.deep.equal([]);
  });

  it('says that the list was deleted, cannot be read, or does not fit into a form', async () => {
    put({}, { metadata: { annotations: { [ANNOTATIONS.fileListDeletedAt]: '2026-01-01T00:00:00Z' } } });
    expect((await project.ada.get(FROM)).text).to.contain('Its list of files was deleted');
    put({ filesFrom: { secretNames: ['not-a-list'], encoding: 'gzip+json', count: 1, sha256: '' } });
    expect((await project.ada.get(FROM)).text).to.contain('Its list of files cannot be read');
    put({}, { files: [{ url: `https://files.example.com/${'&'.repeat(30_000)}`, filename: 'a' }] });
    const encoded = await project.ada.get(FROM);
    expect(encoded.text).to.contain('too large for this form').and.not.contain('&amp;&amp;');
    put(
      {},
      {
        files: Array.from({ length: 9_000 }, (_, n) => ({
          url: `https://files.example.com/${n}`,
          filename: `${n}`,
        })),
      },
    );
    expect((await project.ada.get(FROM)).text).to.contain('too large for this form');
    put({
      filesFrom: { secretNames: [`${NAME}-files-0`], encoding: 'gzip+json', count: 1e9, sha256: '' },
    });
    expect((await project.ada.get(FROM)).text).to.contain('too large for this form');
    expect((await project.ada.get(`${PATH}?from=nobody`)).text).to.contain('Job nobody not found');
  });

  it('leaves out a list that the form would send as other files', async () => {
    for (const odd of [
      { url: 'https://files.example.com/a', filename: 'a\nhttps://evil.example/b' },
      { url: 'https://files.example.com/a\u3000b', filename: 'a' },
      { url: 'https://files.example.com/a', filename: ' a ' },
    ]) {
      put({}, { files: [odd] });
      const { text } = await project.ada.get(FROM);
      expect(text).to.contain('that this form cannot hold').and.not.contain('evil.example');
    }
  });

  it('reads no more of the Secrets than their limit, whatever the job says of their size', async () => {
    await project[Symbol.asyncDispose]();
    project = await startDashboardProject({ dashboardFileListBytes: 20 });
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    put({});
    expect((await project.ada.get(FROM)).text).to.contain('too large for this form');
  });

  it('says how many files have more than a URL and a name, which the form does not keep', async () => {
    const [first, second] = FILES as [ListedFile, ListedFile];
    put({}, { files: [{ ...first, headers: { authorization: 'Bearer HIDDEN' } }, second] });
    const { text } = await project.ada.get(FROM);
    expect(text).to.contain('1 file has request headers').and.not.contain('HIDDEN');
  });
});
