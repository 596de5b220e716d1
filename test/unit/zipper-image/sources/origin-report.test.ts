import { expect } from 'chai';
import { isConnectionRefusal, readOriginReport } from '#zipper-image/sources/origin-report.ts';
import { SourceFaultError } from '#zipper-image/sources/source-error.ts';

const NOW = new Date('2026-11-27T08:00:00.250Z');
const EPOCH = 1_795_766_400;
type Headers = Readonly<Record<string, string | string[]>>;

function kindOf(status: number, headers: Headers = {}): string {
  return readOriginReport({ status, headers }, NOW).kind;
}

function waitOf(headers: Headers): number | undefined {
  const report = readOriginReport({ status: 429, headers }, NOW);
  return report.kind === 'throttled' ? report.waitMs : undefined;
}

describe('readOriginReport', () => {
  const statuses: readonly (readonly [string, readonly number[], Headers?])[] = [
    ['throttled', [429, 503, 509, 529]],
    ['throttled', [202, 400, 403, 404, 408, 409, 420, 423, 425, 499], { 'retry-after': '7' }],
    ['throttled', [403], { 'x-ratelimit-remaining': '0' }],
    ['throttled', [403], { 'ratelimit-remaining': '0' }],
    ['throttled', [403], { 'x-rate-limit-remaining': '0' }],
    ['throttled', [403], { ratelimit: 'limit=100, remaining=0, reset=30' }],
    ['throttled', [403], { ratelimit: '"default";r=0;t=30' }],
    ['failing', [408, 425, 500, 502, 504, 506, 507, 508, 510, 511, 520, 522, 524, 527, 530, 599]],
    ['served', [200, 202, 206, 301, 400, 401, 403, 404, 410, 416, 451, 501, 505, 600, 999]],
    ['served', [200, 204, 206, 304, 501], { 'retry-after': '7' }],
    ['served', [202, 403, 404], { 'retry-after': 'soon' }],
    ['served', [403], { 'x-ratelimit-remaining': '1' }],
    ['served', [403], { 'x-ratelimit-remaining': '' }],
    ['served', [200, 404], { 'x-ratelimit-remaining': '0' }],
  ];
  for (const [kind, list, headers = {}] of statuses)
    it(`reads ${list.join(', ')} with ${JSON.stringify(headers)} as ${kind} (FD4)`, () => {
      expect(list.map((status) => kindOf(status, headers))).to.deep.equal(list.map(() => kind));
    });

  const hints: readonly (readonly [Headers, number | undefined])[] = [
    [{}, undefined],
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': 'Fri, 27 Nov 2026 08:00:30 GMT' }, 29_750],
    [{ 'retry-after-ms': '1500' }, 1500],
    [{ 'x-ms-retry-after-ms': '1500.5' }, 1500.5],
    [{ 'ratelimit-reset': '30' }, 30_000],
    [{ 'x-ratelimit-reset': '30' }, 30_000],
    [{ 'x-rate-limit-reset': '30' }, 30_000],
    [{ 'x-ratelimit-reset': '0.25' }, 250],
    [{ 'x-ratelimit-reset': `${EPOCH + 30}` }, 29_750],
    [{ 'x-ratelimit-reset': `${EPOCH + 30}.5` }, 30_250],
    [{ 'x-ratelimit-reset': `${EPOCH + 30}000` }, 29_750],
    [{ 'x-ratelimit-reset': '2026-11-27T08:00:30Z' }, 29_750],
    [{ 'x-ratelimit-reset': '2026-11-27T10:00:30.250+02:00' }, 30_000],
    [{ 'x-ratelimit-reset': `${EPOCH - 30}` }, 0],
    [{ 'x-ratelimit-reset': '60, 30' }, 30_000],
    [{ 'x-ratelimit-reset': ['60', '30'] }, 30_000],
    [{ 'x-ratelimit-reset-after': '1.5' }, 1500],
    [{ ratelimit: 'limit=100, remaining=0, reset=30' }, 30_000],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ ratelimit: 'default;r=0;t=30' }, 30_000],
    [{ ratelimit: '"a, t=5";r=3;t=10, "b";r=0;t=30' }, 30_000],
    [{ ratelimit: '"a";r=3;t=10, "b";r=2;t=30' }, undefined],
    [{ ratelimit: '"a";r=0;t=90, "b";r=0;t=30' }, 30_000],
    // Retry-After comes first.
    [{ 'retry-after': '5', 'x-ratelimit-reset': '30', ratelimit: '"default";r=0;t=60' }, 5000],
    [{ 'retry-after': '0', 'x-ratelimit-reset': '30' }, 0],
    [{ 'retry-after': 'soon', 'x-ratelimit-reset': '30' }, 30_000],
    // Another limit was exceeded, so its reset says nothing.
    [{ 'x-ratelimit-reset': '3000', 'x-ratelimit-remaining': '4711' }, undefined],
    [{ 'x-ratelimit-reset': '30', 'x-ratelimit-remaining': '0' }, 30_000],
    ...['', '-1', 'soon', '1e3', '0x10', '9'.repeat(30), '2026-13-40T99:00:00Z', 'NaN'].map(
      (text) => [{ 'x-ratelimit-reset': text }, undefined] as const,
    ),
    [{ ratelimit: 'nonsense' }, undefined],
    [{ ratelimit: '"default";r=0;t=soon' }, undefined],
  ];
  for (const [headers, want] of hints)
    it(`reads a wait of ${want} ms from ${JSON.stringify(headers)} (FD2)`, () => {
      expect(waitOf(headers)).to.equal(want);
    });
});

describe('isConnectionRefusal', () => {
  function fault(noResponse: boolean): SourceFaultError {
    return new SourceFaultError({
      code: 'SourceStalled',
      text: 'no response headers',
      retryable: true,
      ...(noResponse && { noResponse }),
    });
  }
  function withCode(code: string): Error {
    return Object.assign(new Error(code), { code });
  }
  const errors: readonly (readonly [string, unknown, boolean])[] = [
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET', 'UND_ERR_CONNECT_TIMEOUT'].map(
      (code) => [code, withCode(code), true] as const,
    ),
    ...['ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'CERT_HAS_EXPIRED', 'HPE_INVALID_VERSION'].map(
      (code) => [code, withCode(code), false] as const,
    ),
    ['a head that did not come in time', fault(true), true],
    ['a body that stalled', fault(false), false],
    ['an error without a code', new Error('unknown'), false],
  ];
  for (const [name, error, want] of errors)
    it(`is ${want} for ${name} (FD3)`, () => {
      expect(isConnectionRefusal(error)).to.equal(want);
    });
});
