import { expect } from 'chai';
import { checkBody } from '#test/support/builders/check-body.ts';
import { A_REQUEST } from '#test/support/servers/api-server.ts';

const [file] = A_REQUEST.urls;

function withUrl(url: string) {
  return { ...A_REQUEST, urls: [file, { url, filename: 'b.txt' }] };
}

describe('the rules of a request with data: URLs', () => {
  it('accepts files in data: URLs, which may be longer than other URLs (C5)', () => {
    const url = `data:text/plain;base64,${Buffer.alloc(64 * 1024).toString('base64')}`;
    expect(checkBody(withUrl(url)).files[1]).to.deep.equal({ url, filename: 'b.txt' });
  });

  it('refuses a data: URL that is not valid, too long or has headers, and does not repeat it (C5)', () => {
    const canary = 'cAnArY0123456789';
    function inline(url: string, more: object = {}) {
      return {
        ...A_REQUEST,
        urls: [file, { url, filename: 'b.txt', ...more }],
      };
    }
    for (const body of [
      inline(`data:;base64,${canary}%`),
      inline(`data:,%z${canary}`),
      inline(`data:${canary}`),
      inline(`data:,${canary}${'x'.repeat(64 * 1024)}`),
      inline(`data:,${canary}`, { headers: { 'x-a': 'b' } }),
    ])
      expect(() => checkBody(body))
        .to.throw(/^urls\[1\]\./)
        .that.satisfies((error: Error) => !error.message.includes(canary))
        .and.includes({ status: 422, code: 'parameter_invalid', param: 'urls' });
  });

  it('limits the bytes of all data: URLs of a request (C5)', () => {
    const limits = { maxFiles: 17, maxUrlLength: 200, maxKeyBytes: 1_024, maxMetadataBytes: 16_384 };
    const full = `data:,${'x'.repeat(64 * 1024)}`;
    function of(...more: string[]) {
      return {
        ...A_REQUEST,
        urls: [...Array.from({ length: 16 }, () => full), ...more].map((url, n) => ({
          url,
          filename: `f${n}`,
        })),
      };
    }
    expect(checkBody(of(), {}, { limits }).files).to.have.length(16);
    expect(() => checkBody(of('data:,x'), {}, { limits }))
      .to.throw(/^urls\[16\]\.url exceeds the 1048576 bytes/)
      .that.includes({ status: 422, code: 'parameter_invalid', param: 'urls' });
  });
});
