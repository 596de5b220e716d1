import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { checkRequest } from '#api/check-request.ts';
import { packFileList } from '#api/file-list.ts';
import { parseStrictJson } from '#api/json/strict-json.ts';
import { createRequestPolicy } from '#api/request-policy.ts';
import { jsonLimits } from '#api/schemas/limits.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { runToEnd } from '#test/support/run-to-end.ts';
import { A_REQUEST, aProject } from '#test/support/servers/api-server.ts';

const limits = { maxFiles: 5, maxUrlLength: 200, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
const policy = createRequestPolicy({
  limitsOf: projectClasses().limitsOf,
  egress: createEgressPolicy({ allowCidrs: [], denyCidrs: [], ownAddresses: [] }),
  limits,
});

const check = (body: unknown) => {
  const json = runToEnd(parseStrictJson(Buffer.from(JSON.stringify(body)), jsonLimits(limits)));
  return runToEnd(checkRequest(json, policy(aProject('team-a'))));
};

const [file] = A_REQUEST.urls;

describe('checkRequest: headers of an entry', () => {
  const withHeaders = (headers: unknown) => ({
    ...A_REQUEST,
    urls: [file, { ...file, filename: 'b', headers }],
  });

  it('keeps headers', () => {
    const headers = { Authorization: 'Bearer x' };
    expect(check(withHeaders(headers)).files[1])
      .to.include.keys('headers')
      .and.to.deep.include({ headers });
    expect(check(A_REQUEST).files[0]).to.not.have.property('headers');
  });

  for (const headers of [
    'a: b',
    { 'x-a': 1 },
    { host: 'secret' },
    { 'x-a': 'a\r\nb: secret' },
    { 'a b': 'secret' },
  ])
    it(`names the entry with ${JSON.stringify(headers)} and repeats no value`, () => {
      expect(() => check(withHeaders(headers)))
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
