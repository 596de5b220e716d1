import { expect } from 'chai';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { failureAt } from './source-harness.ts';

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';
const SECRET = 'AKIASECRETKEY';

function errorBody(code: string): string {
  return `${XML}<Error><Code>${code}</Code><Message>${SECRET}</Message><Key>${SECRET}</Key><StringToSign>${SECRET}</StringToSign></Error>`;
}

/** The failure of a source that responds with this. The body arrives in pieces of this size. */
async function failureWith(status: number, body: string, pieceBytes = body.length) {
  const route: OriginRoute = async (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' });
    for (let at = 0; at < body.length; at += pieceBytes)
      await new Promise((resolve) => response.write(body.slice(at, at + pieceBytes), resolve));
    response.end();
  };
  await using origin = await startFileOrigin({ routes: { '/a': route } });
  return await failureAt(origin.url('/a'));
}

describe('the error of a store that serves a source', () => {
  for (const [status, code] of [
    [403, 'InvalidObjectState'],
    [403, 'SignatureDoesNotMatch'],
    [403, 'AccessDenied'],
    [404, 'NoSuchKey'],
    [400, 'A'.repeat(64)],
  ] as const)
    it(`appears with its code in the message, and nothing else of it: ${status} ${code} (FD14)`, async () => {
      const error = await failureWith(status, errorBody(code), 40);
      expect(error).to.include({ code: 'SourceNotFound', httpStatus: status, retryable: false });
      expect(error.message).to.equal(`file 0: the source responded with status ${status} (${code})`);
    });

  it('appears for a temporary error too (FD14)', async () => {
    const error = await failureWith(503, errorBody('SlowDown'));
    expect(error).to.include({ code: 'SourceUnavailable', httpStatus: 503, retryable: true });
    expect(error.message).to.contain('status 503 (SlowDown)');
  });

  for (const code of ['ExpiredToken', 'ExpiredTokenException', 'RequestExpired', 'SecurityTokenExpired'])
    it(`is SourceExpired if the credentials have expired: ${code} (FD14)`, async () => {
      for (const status of [400, 401, 403]) {
        const error = await failureWith(status, errorBody(code));
        expect(error).to.include({ code: 'SourceExpired', httpStatus: status, retryable: false });
        expect(error.message)
          .to.contain('temporary credentials')
          .and.contain(`status ${status} (${code})`)
          .and.not.contain(SECRET);
      }
    });

  for (const [what, body] of [
    ['a code that is too long', errorBody('A'.repeat(65))],
    ['a code with other characters', errorBody('No-Such/Key?X-Amz-Signature=s')],
    ['an empty code', errorBody('')],
    ['a code outside of an error', `${XML}<List><Code>Secret</Code></List>`],
    ['a code that comes too late', `${XML}<Error>${' '.repeat(5000)}<Code>Late</Code></Error>`],
    ['text', 'Code: Secret'],
    ['JSON', '{"Error":{"Code":"Secret"}}'],
    ['no body', ''],
  ] as const)
    it(`does not appear with ${what} (FD14)`, async () => {
      const error = await failureWith(400, body);
      expect(error.message).to.equal('file 0: the source responded with status 400');
    });
});
