import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { cutLine, redactError, redactText, redactUrl } from '#runtime/log/redact.ts';
import { isLinear, measureGrowth } from '#test/support/growth.ts';

const CANARY = 'cAnArY0123456789';
const SIGNED = [
  `https://b.s3.amazonaws.com/k?X-Amz-Signature=${CANARY}&X-Amz-Credential=AKIA${CANARY}`,
  `https://b.s3.amazonaws.com/k?X-Amz-Security-Token=${CANARY}`,
  `https://d.cloudfront.net/k?Signature=${CANARY}&Key-Pair-Id=${CANARY}`,
  `https://example.com/k?token=${CANARY}`,
  `https://user:${CANARY}@example.com/file`,
  `https://storage.googleapis.com/b/k?X-Goog-Signature=${CANARY}`,
  `https://example.com/?sig=${CANARY}#${CANARY}`,
  `https://example.com/path?anything=${CANARY}`,
];

describe('redactUrl', () => {
  it('keeps scheme, host and path and redacts the rest (P9)', () => {
    for (const url of SIGNED) expect(redactUrl(url)).not.to.contain(CANARY);
    expect(redactUrl(`https://b.example.com:8443/a/b?x=${CANARY}`)).to.equal(
      'https://b.example.com:8443/a/b?[redacted]',
    );
  });

  it('prints nothing of the content or type of a data: URL (C5)', () => {
    for (const url of [`data:,${CANARY}`, `DATA:text/${CANARY};base64,${CANARY}`, `data:${CANARY}`]) {
      expect(redactUrl(url)).to.equal('data:[redacted]');
      if (url.includes(','))
        expect(redactText(`fetch of "${url}" failed`)).to.equal('fetch of "data:[redacted]" failed');
    }
    expect(redactText('the data: one, two')).to.equal('the data: one, two');
  });

  it('redacts text that is not a URL', () => {
    expect(redactUrl(CANARY)).to.equal('[redacted]');
  });
});

describe('redactText', () => {
  it('masks URLs and credentials in a text (P9)', () => {
    for (const url of SIGNED) expect(redactText(`fetch of ${url} failed`)).not.to.contain(CANARY);
    for (const text of [
      `Authorization: Bearer ${CANARY}`,
      `whsec_${CANARY}`,
      `zj_${CANARY}${CANARY}`,
      `X-Amz-Security-Token=${CANARY}`,
      `eyJhbGciOi.${CANARY}.${CANARY}`,
    ])
      expect(redactText(text)).not.to.contain(CANARY);
  });
});

describe('redactText on a long text', function () {
  this.timeout(120_000);
  // Each looks like the start of something that is redacted, again and again.
  const pumps = [
    'a',
    'a.',
    'a-',
    'a+',
    'eyJ',
    'eyJ-',
    'eyJa.',
    'X-Amz-',
    'zj_',
    'whsec_',
    'Bearer ',
    ' ',
    '://',
    'http://a/../',
    'token=',
    'data:',
    'data:;',
    'data:,',
  ];
  for (const pump of pumps)
    it(`takes linear time for a repeated ${JSON.stringify(pump)} (N3)`, () => {
      function inputOf(length: number) {
        return `${pump.repeat(Math.ceil(length / pump.length))}!`;
      }
      const growth = measureGrowth(redactText, inputOf);
      expect(isLinear(growth), JSON.stringify(growth)).to.equal(true);
    });

  it('masks what the bounds of the expressions exclude (N3)', () => {
    const scheme = 'a'.repeat(100);
    for (const text of [
      `${scheme}://user:${CANARY}@host/`,
      `-https://host/?key=${CANARY}`,
      `1https://host/?key=${CANARY}`,
      `://host/?key=${CANARY}`,
      `x-eyJhbGciOi.${CANARY}.${CANARY}`,
      `host.name.eyJhbGciOi.${CANARY}.${CANARY}`,
      `eyJ${'x'.repeat(5_000)}.${CANARY}.${CANARY}`,
    ])
      expect(redactText(text), text).not.to.contain(CANARY);
  });
});

describe('cutLine', () => {
  const MAX = 16_384;

  it('keeps a line of 16 KiB', () => {
    const line = 'x'.repeat(MAX);
    expect(cutLine(line)).to.equal(line);
  });

  it('cuts a longer line between two words, so that no half of a secret remains (N3)', () => {
    for (const secret of [
      `eyJhbGciOi.${CANARY}.${CANARY}`,
      `https://user:${CANARY}@host/`,
      `zj_${CANARY}${CANARY}`,
    ])
      for (let back = 1; back < secret.length; back += 1) {
        const line = `${'x'.repeat(MAX - back - 1)} ${secret} end`;
        const cut = cutLine(line);
        expect(cut.length).to.be.below(MAX + 64);
        expect(cut).to.contain(`[truncated: ${line.length} characters]`);
        expect(cut).not.to.contain(secret.slice(0, 8));
      }
  });

  it('keeps nothing of a longer line that is one word (N3)', () => {
    expect(cutLine('x'.repeat(MAX + 1))).to.equal(` [truncated: ${MAX + 1} characters]`);
  });
});

describe('createLogger', () => {
  const lines: string[] = [];
  const log = createLogger('test', { level: 'trace', destination: { write: (line) => lines.push(line) } });
  beforeEach(() => lines.splice(0));

  it('logs no secret of a wrapped error, a field or a message (H9, P9)', () => {
    const url = SIGNED[0] ?? '';
    const inner = Object.assign(new Error(`connect to ${url}`), { input: url, code: 'ECONNRESET' });
    const error = new AppError(`fetch ${url}`, { code: 'X', retryable: true, cause: inner });
    log.error({ err: error, url }, 'failed');
    log.child({ url }).trace({ detail: url }, 'again');
    expect(lines.join('')).not.to.contain(CANARY);
    expect(JSON.parse(lines[0] ?? '')).to.have.nested.property('err.cause.code', 'ECONNRESET');
  });

  it('logs nothing of a URL where it may not be known, and no hidden cause (N22)', () => {
    const own: string[] = [];
    const destination = { write: (line: string) => own.push(line) };
    const strict = createLogger('test', { level: 'trace', destination, keepsUrls: false });
    class Hiding extends AppError {
      override readonly hidesCause = true;
    }
    const cause = new Error('connect to files.example.com');
    const frame = 'refusedBeforeItWasConnected';
    const error = new Hiding('unreachable', { code: 'X', retryable: true, cause });
    error.stack = `Error: unreachable\n    at ${frame} (main.ts:1:1)`;
    const url = `https://files.example.com/s/${CANARY}`;
    strict.error({ err: error, url }, `could not read ${url}: gone`);
    expect(own.join('')).to.contain('gone').and.contain('unreachable');
    expect(own.join('')).to.not.contain(CANARY);
    expect(own.join('')).to.not.contain('example.com').and.not.contain(frame);
  });

  it('redacts a thrown value that is not an Error', () => {
    expect(redactError(`zj_${CANARY}${CANARY}`).message).to.equal('[redacted]');
  });
});
