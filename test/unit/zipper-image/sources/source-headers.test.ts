import { expect } from 'chai';
import { readSourceHeaders, sourceHeadersProblem } from '#runtime/zip-request/source-headers.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { failureAt, readAll, withReader } from './source-harness.ts';

const SECRET = 'canary-of-a-header';

describe('sourceHeadersProblem', () => {
  it('accepts ordinary headers and lowercases their names', () => {
    const headers = { Authorization: 'Bearer x y', 'X-Api-Key': 'k', cookie: 'a=b', 'User-Agent': 'me/1' };
    expect(sourceHeadersProblem(headers)).to.equal(undefined);
    expect(readSourceHeaders(headers)).to.have.all.keys('authorization', 'x-api-key', 'cookie', 'user-agent');
    expect(readSourceHeaders({})).to.deep.equal({});
  });

  for (const name of [
    'Host',
    'connection',
    'Keep-Alive',
    'Transfer-Encoding',
    'TE',
    'Trailer',
    'Upgrade',
    'Expect',
    'Proxy-Authorization',
    'Range',
    'If-Range',
    'If-None-Match',
    'Accept-Encoding',
    'Content-Length',
    'Content-Type',
    'a b',
    '',
    'a:',
    ':path',
    'é',
    'x'.repeat(129),
  ])
    it(`refuses the name ${JSON.stringify(name.slice(0, 20))}`, () => {
      expect(sourceHeadersProblem({ [name]: SECRET }))
        .to.be.a('string')
        .and.to.not.include(SECRET);
      expect(readSourceHeaders({ [name]: SECRET })).to.equal(undefined);
    });

  it('refuses values that could end the header, and headers that are not an object of strings', () => {
    for (const value of ['a\r\nb: c', 'a\n', '\u0000', 'é', ' a', 'a '.repeat(3000), 1, null])
      expect(sourceHeadersProblem({ 'x-a': value })).to.be.a('string');
    for (const headers of [null, [], 'a: b', 1]) expect(sourceHeadersProblem(headers)).to.be.a('string');
  });

  it('refuses more than 16 headers and duplicate names', () => {
    const many = Object.fromEntries(Array.from({ length: 17 }, (_, index) => [`x-${index}`, 'a']));
    expect(sourceHeadersProblem(many)).to.include('16');
    expect(sourceHeadersProblem({ 'X-A': '1', 'x-a': '2' })).to.include('has a duplicate header');
  });
});

describe('download: headers of a file', () => {
  let origin: FileOrigin;
  let other: FileOrigin;
  beforeEach(async () => {
    origin = await startFileOrigin();
    other = await startFileOrigin();
  });
  afterEach(async () => {
    await origin[Symbol.asyncDispose]();
    await other[Symbol.asyncDispose]();
  });

  const headers = { authorization: `Bearer ${SECRET}`, 'user-agent': 'own/1' };
  function redirect(to: string): string {
    return `/redirect/302?to=${encodeURIComponent(to)}`;
  }

  it('are sent with every request to the origin of the URL, including retries and resumes', async () => {
    for (const path of [redirect('/gen/10/1'), '/flaky/1/503/10/1', '/cut/1/100000/1'])
      await withReader([origin.url(path)], readAll, { headers });
    expect(origin.requests).to.have.length(6);
    for (const request of origin.requests)
      expect(request.headers).to.include({ ...headers, 'accept-encoding': 'identity' });
  });

  it('are sent to no other origin, and not again after a redirect back', async () => {
    await withReader([origin.url(redirect(other.url('/gen/10/1')))], readAll, { headers });
    await withReader([origin.url(redirect(other.url(redirect(origin.url('/gen/10/1')))))], readAll, {
      headers,
    });
    expect(origin.requests.map((request) => request.headers['authorization'] !== undefined)).to.deep.equal([
      true,
      true,
      false,
    ]);
    for (const request of other.requests) {
      expect(request.headers).to.not.have.property('authorization');
      expect(request.headers['user-agent']).to.equal('zipjobs');
    }
  });

  it('appear in no message and no log line', async () => {
    const lines: string[] = [];
    const options = {
      headers,
      onLog: (line: string) => lines.push(line),
      settings: { sourceRetryLimitMs: 50 },
    };
    const error = await failureAt(origin.url('/status/502'), options);
    expect(lines).not.to.deep.equal([]);
    expect(`${lines.join()}${error.message}${JSON.stringify(error)}${error.stack}`).to.not.include(SECRET);
  });
});
