import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import { pathOfCallerOption } from '#dashboard/settings/job-options.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const PATH = `${HOME}/new-job`;
const FIELDS = {
  bucket: 's3/reports',
  key: 'a.zip',
  urls: 'https://files.example.com/one.pdf?sig=a',
} as const;

function textOf(secret: unknown): string {
  const data = isRecord(secret) ? secret['data'] : undefined;
  const [chunk] = isRecord(data) ? Object.values(data) : [];
  return gunzipSync(Buffer.from(String(chunk), 'base64')).toString();
}

describe('the form of a new job', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject({ MAX_URL_LENGTH: '100' });
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function created(collection: string) {
    return project.server.requests.filter(({ method, path }) => method === 'POST' && path === collection);
  }

  it('creates the ZipJob that the API would create, with the token of the user', async () => {
    project.putProject({ jobDefaults: { compression: 'deflate', maxAttempts: 2 } });
    const response = await project.send(PATH, { ...FIELDS, onSourceError: 'Skip' });
    const [request] = created(COLLECTIONS.zipJobs);
    expect(request?.bearer).to.equal('ada-token');
    const job = RESOURCES.zipJobs.decode(request?.body);
    const { name, annotations } = job.metadata;
    expect(name).to.match(/^zip-[0-9a-f-]{36}$/);
    expect(response.headers.get('location')).to.equal(`${HOME}/jobs/${name}`);
    expect(annotations).to.have.property(ANNOTATIONS.fileListBytes);
    const { filesFrom, ...others } = job.spec;
    expect(others).to.deep.equal({
      bucketRef: { name: 's3-reports' },
      service: 's3',
      key: 'a.zip',
      metadata: '{}',
      compression: 'deflate',
      maxAttempts: 2,
      onSourceError: 'Skip',
    });
    const list = { secretNames: [`${name}-files-0`], encoding: 'gzip+json', count: 1 };
    expect(filesFrom).to.deep.include(list);
  });

  it('has every option of a request, and says what the project sets for each (Q-U22)', async () => {
    project.putProject({ jobDefaults: { onSourceError: 'Skip', onConflict: 'fail' } });
    const { text } = await project.ada.get(PATH);
    for (const option of CALLER_OPTIONS)
      expect(text, option).to.contain(` name="${pathOfCallerOption(option).split('.').at(-1)}"`);
    expect(text).to.contain('<option value="" selected>Project default: skip failed files</option>');
    expect(text).to.contain('Project default: fail the job').and.not.contain('<option value="replace"');
    await project.send(PATH, {
      ...FIELDS,
      sha256: 'true',
      manifestFormat: 'sha256sum',
      fixedModificationTime: '2026-01-31T12:00:00Z',
      tags: 'team=sales',
      jobMetadata: '{"order": 1.0}',
    });
    const [request] = created(COLLECTIONS.zipJobs);
    expect(RESOURCES.zipJobs.decode(request?.body).spec).to.deep.include({
      onSourceError: 'Skip',
      onConflict: 'fail',
      sha256: true,
      manifestFormat: 'sha256sum',
      fixedModificationTime: '2026-01-31T12:00:00Z',
      metadata: '{"order": 1.0}',
      objectOptions: { tags: { team: 'sales' } },
    });
  });

  it('shows errors of options below their field, and keeps their values (Q-U22)', async () => {
    for (const [name, value, message] of [
      ['fixedModificationTime', 'today', 'RFC 3339'],
      ['tags', 'aws:x=1', 'Tags of archives has a name'],
      ['jobMetadata', '[1]', 'must be a JSON object'],
    ] as const) {
      const { status, text } = await project.send(PATH, { ...FIELDS, [name]: value });
      expect(status, name).to.equal(422);
      const error = text.indexOf(`id="${name}-error"`);
      expect(error, name).to.be.above(text.indexOf(` name="${name}"`));
      expect(text.slice(error), name).to.contain(message);
      expect(text, name).to.contain(value).and.contain('<details open>');
    }
    expect(created(COLLECTIONS.zipJobs)).to.deep.equal([]);
  });

  it('stores the files in a Secret that the ZipJob owns, and nowhere else', async () => {
    const urls = `${FIELDS.urls}\n\ndata:,hello greeting.txt`;
    await project.send(PATH, { ...FIELDS, urls });
    const [job] = created(COLLECTIONS.zipJobs);
    const [list] = created(COLLECTIONS.secrets);
    expect(list?.bearer).to.equal('ada-token');
    expect(JSON.stringify(job?.body)).to.not.contain('sig=a');
    expect(project.server.logLines.join('')).to.not.contain('sig=a');
    expect(list?.body).to.deep.include({ immutable: true, type: 'Opaque' });
    expect(list?.body).to.have.nested.property('metadata.ownerReferences[0].kind', 'ZipJob');
    const files = textOf(list?.body).trim().split('\n');
    expect(files.map((line): unknown => JSON.parse(line))).to.deep.equal([
      { url: FIELDS.urls, filename: 'one.pdf' },
      { url: 'data:,hello', filename: 'greeting.txt' },
    ]);
  });

  it('names the lines that the API would refuse, and keeps the input', async () => {
    const urls = [
      'https://files.example.com/a',
      'http://169.254.169.254/token',
      'ftp://files.example.com/b',
      '',
      `https://files.example.com/${'x'.repeat(100)}`,
      'https://files.example.com/c ../c',
      'https://other.example.com/a',
    ].join('\r\n');
    const { status, text } = await project.send(PATH, { ...FIELDS, urls });
    expect(status).to.equal(422);
    for (const fault of [
      'Line 2: the URL does not point to a publicly accessible host',
      'Line 3: the URL must start with http://, https://, s3:// or r2://',
      'Line 5: the URL is longer than 100 characters',
      'Line 6: the name must not contain a &quot;.&quot; or &quot;..&quot; segment',
      'Line 7: the name is already the name of another entry',
    ])
      expect(text).to.contain(fault);
    expect(text).to.contain('id="urls-error"').and.contain('https://files.example.com/c ../c');
    expect(created(COLLECTIONS.zipJobs)).to.deep.equal([]);
  });

  it('shows errors of key, bucket and an empty list at their fields', async () => {
    async function errorAt(fields: Record<string, string>, id: string): Promise<void> {
      const { status, text } = await project.send(PATH, { ...FIELDS, ...fields });
      expect(status).to.equal(422);
      expect(text, id).to.contain(`id="${id}-error"`);
    }
    await errorAt({ key: '' }, 'key');
    await errorAt({ key: 'a/../b.zip' }, 'key');
    await errorAt({ bucket: 's3/others' }, 'bucket');
    await errorAt({ bucket: 'nonsense' }, 'bucket');
    await errorAt({ urls: ' \n ' }, 'urls');
  });

  it('accepts no more files than the project allows', async () => {
    project.putProject({ limits: { filesPerJob: 1 } });
    const { text } = await project.send(PATH, { ...FIELDS, urls: `${FIELDS.urls}\nhttps://a.example.com/2` });
    expect(text).to.contain('The list has 2 files, and an archive can contain at most 1');
  });

  it('creates one job if it is sent twice', async () => {
    const [, uuid = ''] = /name="uuid" value="([^"]+)"/.exec((await project.ada.get(PATH)).text) ?? [];
    const first = await project.send(PATH, { ...FIELDS, uuid });
    const second = await project.send(PATH, { ...FIELDS, uuid });
    expect(first.headers.get('location')).to.equal(`${HOME}/jobs/zip-${uuid}`);
    expect(second.headers.get('location')).to.equal(`${HOME}/jobs/zip-${uuid}`);
    expect(created(COLLECTIONS.secrets)).to.have.length(1);
  });

  it('deletes the job if its file list cannot be stored', async () => {
    project.objects.fail(
      new KubeError('no', { attempt: 'POST /x', httpStatus: 403, code: 'Forbidden' }),
      ({ method, path }) => method === 'POST' && path === COLLECTIONS.secrets,
    );
    const { status, text } = await project.send(PATH, FIELDS);
    expect(status).to.equal(422);
    expect(text).to.contain('Cannot store the file list').and.contain('No job was created');
    const deleted = project.server.requests.filter(({ method }) => method === 'DELETE');
    expect(deleted.map(({ path }) => path)).to.have.length(1);
    expect(text).to.not.contain('Job created');
  });

  it('offers the bucket of the link, and leads to a new bucket without any', async () => {
    project.putBucket(aBucket(TEAM, 'r2', 'backups'));
    expect((await project.ada.get(`${PATH}?bucket=r2/backups`)).text).to.contain(
      '<option value="r2/backups" selected>',
    );
    await using empty = await startDashboardProject();
    expect((await empty.ada.get(PATH)).text)
      .to.contain(`href="${HOME}/new-bucket"`)
      .and.not.contain('name="urls"');
  });

  it('shows a user who may not add a bucket why, instead of a link', async () => {
    await using empty = await startDashboardProject();
    empty.server.tokens.set('ada-token', {
      name: 'ada',
      allowed: [
        'get zipprojects',
        'list zipbuckets',
        'list zipjobs',
        'get zipjobs',
        'create zipjobs',
        'create secrets',
        'delete zipjobs',
        'get zipbuckets',
      ].map((right) => `${right} ${TEAM}`),
    });
    const { status, text } = await empty.ada.get(PATH);
    expect(status).to.equal(200);
    expect(text)
      .to.contain(`is not allowed to create zipbuckets in ${TEAM}`)
      .and.not.contain(`href="${HOME}/new-bucket"`);
  });

  it('is closed to users who could not complete a job, because they may not read it (UI8)', async () => {
    const rights = [
      'get zipprojects',
      'list zipbuckets',
      'get zipbuckets',
      'create zipjobs',
      'create secrets',
    ];
    const allowed = rights.map((right) => `${right} ${TEAM}`);
    project.server.tokens.set('ada-token', { name: 'ada', allowed });
    const { status, text } = await project.ada.get(PATH);
    expect(status).to.equal(403);
    expect(text).to.contain(`get zipjobs in ${TEAM}`);
  });

  it('is closed to users who can only view', async () => {
    expect((await project.viewer.get(PATH)).status).to.equal(403);
    const csrf = await project.viewer.csrf(HOME);
    expect((await project.viewer.post(PATH, { ...FIELDS, csrf })).status).to.equal(403);
  });
});
