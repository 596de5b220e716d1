import { expect } from 'chai';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { formatAge, presignedExpiry } from '#zipper-image/sources/presigned-expiry.ts';
import { failureAt } from './source-harness.ts';

const SIGNED = 'X-Amz-Date=20200101T000000Z&X-Amz-Expires=3600&X-Amz-Signature=hidden-signature';

describe('presignedExpiry', () => {
  function at(query: string): string | undefined {
    const time = presignedExpiry(new URL(`https://files.example.com/a?${query}`));
    return time === undefined ? undefined : new Date(time).toISOString();
  }

  for (const [query, expected] of [
    [SIGNED, '2020-01-01T01:00:00.000Z'],
    ['X-Goog-Date=20200101T000000Z&X-Goog-Expires=60', '2020-01-01T00:01:00.000Z'],
    ['AWSAccessKeyId=a&Signature=s&Expires=1577836800', '2020-01-01T00:00:00.000Z'],
    ['sv=1&se=2020-01-01T00%3A00%3A00Z&sig=s', '2020-01-01T00:00:00.000Z'],
    ['Expires=1577836800', undefined],
    ['X-Amz-Date=yesterday&X-Amz-Expires=60', undefined],
    ['X-Amz-Date=20200101T000000Z&X-Amz-Expires=-1', undefined],
    ['X-Amz-Date=20200101T000000Z', undefined],
    ['X-Amz-Date=20201301T000000Z&X-Amz-Expires=1', undefined],
    ['', undefined],
  ] as const)
    it(`reads "${query}"`, () => {
      expect(at(query)).to.equal(expected);
    });

  it('formats ages with at most two units', () => {
    expect([500, 59_000, 61_000, 3_600_000, 11_520_000, 90_000_000].map(formatAge)).to.deep.equal([
      'less than 1 s',
      '59 s',
      '1 min 1 s',
      '1 h',
      '3 h 12 min',
      '1 d 1 h',
    ]);
  });
});

describe('download: a URL with an expired signature', () => {
  it('fails immediately, reports the age, and hides the query', async () => {
    await using origin = await startFileOrigin();
    for (const status of [400, 401, 403]) {
      const error = await failureAt(origin.url(`/status/${status}?${SIGNED}`));
      expect(error).to.include({ code: 'SourceExpired', retryable: false, httpStatus: status });
      expect(error.message)
        .to.match(/expired \d+ d( \d+ h)? ago/)
        .and.to.not.match(/hidden|X-Amz|3600/);
    }
    expect(origin.requests).to.have.length(3);
  });

  it('does not apply to a valid signature or to another status', async () => {
    await using origin = await startFileOrigin();
    const fresh = `X-Amz-Date=${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}&X-Amz-Expires=3600`;
    expect((await failureAt(origin.url(`/status/403?${fresh}`))).code).to.equal('SourceNotFound');
    expect((await failureAt(origin.url(`/status/404?${SIGNED}`))).code).to.equal('SourceNotFound');
  });
});
