import { expect } from 'chai';
import type { ZipProject } from '#crds/zip-project.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { unreachable } from '#test/support/builders/fake-objects.ts';
import { A_REQUEST, type ApiServer, startApiServer } from '#test/support/servers/api-server.ts';

const KEY = { headers: { 'idempotency-key': 'order-7' } };
const OTHER_KEY = { headers: { 'idempotency-key': 'order-8' } };
const URL = 'https://files.example.com/b.txt';
const TWO_FILES = { ...A_REQUEST, urls: [...A_REQUEST.urls, { url: URL, filename: 'b.txt' }] };
/** More values than the body of a request with a file may contain. */
const MANY_FILES = {
  ...A_REQUEST,
  urls: Array.from({ length: 2_000 }, (_, n) => ({ url: URL, filename: String(n) })),
};

function named(filename: string) {
  return { ...A_REQUEST, urls: [{ url: URL, filename }] };
}

interface Change {
  readonly body: object;
  readonly spec: ZipProject['spec'];
}

const CHANGES: Readonly<Record<string, Change>> = {
  'compression is closed': {
    body: { ...A_REQUEST, compression: 'deflate' },
    spec: { callerOptions: { closed: ['compression'] } },
  },
  'on_conflict must be "fail"': {
    body: { ...A_REQUEST, on_conflict: 'replace' },
    spec: { jobDefaults: { onConflict: 'fail' } },
  },
  'portable_names must be "refuse"': {
    body: { ...A_REQUEST, portable_names: 'keep' },
    spec: { jobDefaults: { portableNames: 'refuse' } },
  },
  'names are refused that Windows does not allow': {
    body: named('what?'),
    spec: { jobDefaults: { portableNames: 'refuse' } },
  },
  'the manifest has the name of a file': {
    body: named('list.json'),
    spec: { jobDefaults: { manifestEntry: 'list.json' } },
  },
  'a job may have fewer files': { body: TWO_FILES, spec: { limits: { filesPerJob: 1 } } },
};

describe('a retry with the same Idempotency-Key after a rule changed', () => {
  let api: ApiServer;
  let laterMs: number;
  beforeEach(async () => {
    laterMs = 0;
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
    api = await startApiServer({ clock });
  });
  afterEach(() => api[Symbol.asyncDispose]());

  function changeProject(spec: ZipProject['spec']): void {
    const [project] = api.projects.all();
    if (project) api.projects.put({ ...project, spec });
    // The API knows the projects of recent tokens for a second.
    laterMs = 1_001;
  }

  for (const [rule, { body, spec }] of Object.entries(CHANGES))
    it(`gets the job of the first request, and new requests are refused: ${rule} (BC3)`, async () => {
      const first = await api.post(body, KEY);
      expect(first.status, first.text).to.equal(201);
      changeProject(spec);
      const again = await api.post(body, KEY);
      expect([again.status, again.text]).to.deep.equal([201, first.text]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      const other = await api.post(body, OTHER_KEY);
      expect([other.status, other.body.error?.code]).to.deep.equal([422, 'parameter_invalid']);
      expect((await api.post(body)).text).to.equal(other.text);
      expect(api.jobs.all()).to.have.length(1);
    });

  it('gets the job of the first request although a setting of the operator is lower (BC3)', async () => {
    const body = { ...MANY_FILES, key: `${'x'.repeat(90)}.zip` };
    const first = await api.post(body, KEY);
    expect(first.status, first.text).to.equal(201);
    await using stricter = await startApiServer({ maxFiles: 1, maxKeyBytes: 64 });
    for (const project of api.projects.all()) stricter.projects.put(project);
    for (const job of api.jobs.all()) stricter.jobs.put(job);
    const again = await stricter.post(body, KEY);
    expect([again.status, again.text]).to.deep.equal([201, first.text]);
    const withoutKey = await stricter.post(body);
    expect(withoutKey.body.error?.code).to.equal('too_many_values');
    expect((await stricter.post(body, OTHER_KEY)).text, 'no key evades the limits').to.equal(withoutKey.text);
    const longKey = { ...A_REQUEST, key: body.key };
    expect((await stricter.post(longKey, OTHER_KEY)).body.error?.param).to.equal('key');
    expect((await stricter.post(TWO_FILES, OTHER_KEY)).body.error?.message).to.contain('at most 1 files');
  });

  it('is distinguished from a new request before anything is counted for it (BC3)', async () => {
    changeProject({ limits: { storedBytes: 1 }, callerOptions: { closed: ['compression'] } });
    const refused = await api.post({ ...A_REQUEST, compression: 'deflate' }, KEY);
    expect([refused.status, refused.body.error?.code]).to.deep.equal([422, 'parameter_invalid']);
    expect(api.logLines.filter((line) => line.includes('a project is full'))).to.deep.equal([]);
  });

  it('completes a job whose file list was not stored (BC3)', async () => {
    api.secrets.fail(unreachable());
    expect((await api.post(TWO_FILES, KEY)).status).to.equal(503);
    api.secrets.fail(undefined);
    changeProject({ limits: { filesPerJob: 1 } });
    expect((await api.post(TWO_FILES, KEY)).status).to.equal(201);
    expect(api.secrets.all()).to.have.length(1);
  });

  it('gets the list of invalid entries if there is no first job (BC3)', async () => {
    const response = await api.post(named('a/../b'), { ...KEY, path: '/v1/zips?expand=error' });
    expect(response.status).to.equal(422);
    expect(response.body.error).to.have.nested.property('files.length', 1);
    expect(api.jobs.all()).to.deep.equal([]);
  });

  it('is another request with an invalid modification_time than without one (BC3)', async () => {
    await api.post(A_REQUEST, KEY);
    const { status, body } = await api.post({ ...A_REQUEST, modification_time: 'yesterday' }, KEY);
    expect([status, body.error?.code]).to.deep.equal([422, 'idempotency_key_reused']);
  });
});
