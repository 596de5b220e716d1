import { expect } from 'chai';
import { A_REQUEST, type ApiServer, aProject, startApiServer } from '#test/support/servers/api-server.ts';

const EXPANDED = '/api/v1/zips?expand=error';
const CANARY = 'cAnArY0123456789';

function at(n: number) {
  return { url: `https://files.example.com/${n}`, filename: `f${n}` };
}

function of(...urls: unknown[]) {
  return { ...A_REQUEST, urls };
}

function fault(file_index: number, param: string | null, message: string) {
  return {
    file_index,
    param,
    code: 'parameter_invalid',
    message: `urls[${file_index}]${message}`,
  };
}

describe('POST /zips?expand=error with several invalid entries', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  /** The response with the list, whose other fields are those of the response without it. */
  async function ask(body: unknown) {
    const plain = await api.post(body, { path: '/api/v1/zips' });
    const { body: expanded } = await api.post(body, { path: EXPANDED });
    if (expanded.error === undefined) throw new Error(`accepted: ${plain.text}`);
    const { type, code, message, param, ...more } = expanded.error;
    const error = JSON.stringify({ error: { type, code, message, param } });
    expect([plain.status, plain.text]).to.deep.equal([422, error]);
    expect(Object.keys(more)).to.deep.equal(['files', 'files_total']);
    return more;
  }

  it('lists the faults of URLs, headers and names in the order of the entries (C4)', async () => {
    const private1 = { ...at(1), url: `http://10.0.0.1/${CANARY}` };
    const headers = { ...at(2), headers: { host: CANARY } };
    const name = { ...at(3), filename: '../f3' };
    const twice = { ...at(9), filename: 'f0' };
    const inline = { ...at(6), url: `data:,%z${CANARY}` };
    const both = { ...at(7), url: 'ftp://a.example.com', filename: '/f7' };
    expect(await ask(of(at(0), private1, headers, name, twice, at(5), inline, both))).to.deep.equal({
      files: [
        fault(1, 'url', '.url does not point to a publicly accessible host.'),
        fault(2, 'headers', '.headers may not set host.'),
        fault(3, 'filename', '.filename must not contain a "." or ".." segment.'),
        fault(4, 'filename', '.filename is already the name of another entry.'),
        fault(6, 'url', '.url has a "%" that is not followed by two hexadecimal digits.'),
        fault(7, 'url', '.url must start with http://, https://, s3:// or r2://.'),
      ],
      files_total: 6,
    });
  });

  it('lists entries of a wrong type together with the other ones', async () => {
    const listed = await ask(
      of(
        at(0),
        null,
        { ...at(2), url: 'x y' },
        { url: 'https://a.example.com/' },
        {
          ...at(4),
          headers: { 'x-a': 1 },
        },
        { ...at(5), filename: 'f0/f5' },
        { ...at(6), url: '' },
      ),
    );
    expect(listed).to.deep.equal({
      files: [
        fault(1, null, ' must be of type object.'),
        fault(2, 'url', '.url is not a valid URL.'),
        fault(3, 'filename', ' is missing the field filename.'),
        fault(4, 'headers', '.headers.x-a must be of type string.'),
        fault(
          5,
          'filename',
          '.filename conflicts with another entry: the same name is both a file and a directory.',
        ),
        fault(6, 'url', '.url must not be empty.'),
      ],
      files_total: 6,
    });
  });

  it('counts all of 10,000 entries, and lists the first hundred that are invalid (C4)', async () => {
    function isBad(n: number): boolean {
      return n % 73 === 7;
    }
    const urls = Array.from({ length: 10_000 }, (_, n) =>
      isBad(n) ? { ...at(n), url: `http://127.0.0.1/${n}` } : at(n),
    );
    const bad = urls.flatMap((_, n) => (isBad(n) ? [n] : []));
    expect(bad).to.have.length(137);
    const { files, files_total } = await ask(of(...urls));
    expect(files_total).to.equal(137);
    expect(files?.map(({ file_index }) => file_index)).to.deep.equal(bad.slice(0, 100));
  });

  it('lists the entries with the lowest indexes, although names are checked after URLs (C4)', async () => {
    const urls = Array.from({ length: 300 }, (_, n) =>
      n < 150 ? { ...at(n), filename: '..' } : { ...at(n), url: 'https://localhost/' },
    );
    const { files, files_total } = await ask(of(...urls));
    expect(files_total).to.equal(300);
    expect(files?.map(({ file_index, param }) => `${file_index} ${param}`)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => `${n} filename`),
    );
  });

  it('lists every name that the project or the manifest does not permit', async () => {
    const project = aProject('team-a', { jobDefaults: { portableNames: 'refuse' } });
    api.projects.put(project);
    const named = ['a?', 'readme', 'README', 'CON', 'manifest.json', 'manifest.json/a', 'ok'];
    const urls = named.map((filename, n) => ({ ...at(n), filename }));
    const { files, files_total } = await ask({ ...of(...urls), manifest: 'json' });
    expect(files?.map(({ file_index }) => file_index)).to.deep.equal([0, 2, 3, 4, 5]);
    expect(files_total).to.equal(5);
  });

  it('lists every data: URL beyond the bytes that a request can contain (C4)', async () => {
    const full = `data:,${CANARY}${'x'.repeat(64 * 1024 - CANARY.length)}`;
    const urls = Array.from({ length: 19 }, (_, n) => ({ ...at(n), url: full }));
    const { files, files_total } = await ask(of(...urls, at(19)));
    expect(files_total).to.equal(3);
    expect(files?.map(({ file_index }) => file_index)).to.deep.equal([16, 17, 18]);
  });

  it('contains nothing of URLs, headers and names (C5)', async () => {
    const entries = [
      { ...at(1), url: `http://10.0.0.1/${CANARY}` },
      { ...at(2), url: `${CANARY} ${CANARY}` },
      { ...at(3), url: `data:;base64,${CANARY}%` },
      { ...at(4), headers: { 'x-a': `${CANARY}\n` } },
      { ...at(5), filename: `${CANARY}/..` },
      { ...at(6), url: [CANARY] },
    ];
    const response = await api.post(of(...entries), { path: EXPANDED });
    expect(response.body.error?.files).to.have.length(6);
    expect(response.text).not.to.contain(CANARY);
    expect(api.logLines.join('')).not.to.contain(CANARY);
  });

  it('adds nothing to an error that is not about entries', async () => {
    const bad = { ...at(1), url: 'http://10.0.0.1/' };
    for (const body of [
      { ...of(at(0), bad), key: '..' },
      { ...of(at(0), bad), bucket_name: 1 },
      of(...Array.from({ length: 10_001 }, () => bad)),
      of(),
      { ...A_REQUEST, urls: 'x' },
    ]) {
      const [plain, expanded] = [await api.post(body), await api.post(body, { path: EXPANDED })];
      expect([expanded.status, expanded.text]).to.deep.equal([422, plain.text]);
    }
  });

  it('returns the same error to other values of expand (C4)', async () => {
    const body = of({ ...at(0), url: 'http://10.0.0.1/' }, { ...at(1), url: 'http://10.0.0.2/' });
    const plain = await api.post(body);
    expect(Object.keys(plain.body.error ?? {})).to.deep.equal(['type', 'code', 'message', 'param']);
    expect((await api.post(body, { path: '/v1/zips?expand=job,bucket' })).text).to.equal(plain.text);
    expect((await api.post(body, { path: '/v1/zips?expand=errors' })).body.error).to.include({
      param: 'expand',
    });
  });
});
