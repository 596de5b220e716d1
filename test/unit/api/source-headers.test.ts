import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { packFileList } from '#runtime/zip-request/file-list.ts';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST } from '#test/support/servers/api-server.ts';

const [file] = A_REQUEST.urls;

describe('the rules of a request: headers of an entry', () => {
  function withHeaders(headers: unknown) {
    return {
      ...A_REQUEST,
      urls: [file, { ...file, filename: 'b', headers }],
    };
  }

  it('keeps headers', () => {
    const headers = { Authorization: 'Bearer x' };
    expect(checkBody(withHeaders(headers)).files[1])
      .to.include.keys('headers')
      .and.to.deep.include({ headers });
    expect(checkBody(A_REQUEST).files[0]).to.not.have.property('headers');
  });

  for (const headers of [
    'a: b',
    { 'x-a': 1 },
    { host: 'secret' },
    { 'x-a': 'a\r\nb: secret' },
    { 'a b': 'secret' },
  ])
    it(`names the entry with ${JSON.stringify(headers)} and repeats no value`, () => {
      expect(() => checkBody(withHeaders(headers)))
        .to.throw(/urls\[1\]\.headers/)
        .that.includes({ code: 'parameter_invalid', param: 'urls' })
        .and.satisfies(({ message }: Error) => !message.includes('secret'));
    });
});

describe('packFileList: headers of an entry', () => {
  it('writes headers into the list only where they exist', async () => {
    const plain = { url: 'https://h.example.com/a', filename: 'a' };
    const headers = { 'x-key': 'k' };
    const { chunks } = await packFileList([plain, { ...plain, headers }]);
    expect(gunzipSync(Buffer.concat(chunks)).toString()).to.equal(
      `${JSON.stringify(plain)}\n${JSON.stringify({ ...plain, headers })}\n`,
    );
  });
});
