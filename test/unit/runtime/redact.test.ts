import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log.ts';
import { redactError, redactText, redactUrl } from '#runtime/redact.ts';

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

  it('redacts a thrown value that is not an Error', () => {
    expect(redactError(`zj_${CANARY}${CANARY}`).message).to.equal('[redacted]');
  });
});
