import { expect } from 'chai';
import { EXIT_CODES, FAILURE_CODES, type FailureCode } from '#crds/exit-codes.ts';
import { AppError, ConfigError } from '#runtime/errors.ts';
import { exitCodeOf, toFailure } from '#zipper-image/status/failure.ts';
import { terminationText } from '#zipper-image/status/termination.ts';

describe('toFailure', () => {
  it('keeps code, file and status of a known error, and whether a retry may help', () => {
    const error = new AppError('file 3: busy', {
      code: 'SourceUnavailable',
      retryable: true,
      details: { fileIndex: 3, httpStatus: 503 },
    });
    expect(toFailure(error)).to.deep.equal({
      code: 'SourceUnavailable',
      message: 'file 3: busy',
      fileIndex: 3,
      httpStatus: 503,
      retriable: true,
    });
  });

  it('hides URLs and secrets (P9)', () => {
    const error = new AppError(
      'could not fetch https://u:p@h/x?X-Amz-Signature=CANARY (http://h/?sig=CANARY): Bearer CANARY',
      {
        code: 'SourceNotFound',
        retryable: false,
      },
    );
    expect(toFailure(error).message).to.equal('could not fetch [url]: [redacted]');
  });

  it('hides the details of an unknown error', () => {
    expect(toFailure(new TypeError('CANARY'))).to.deep.equal({
      code: 'Internal',
      message: FAILURE_CODES.Internal.text,
      retriable: true,
    });
  });

  it('maps an abort to Terminated and an invalid setting to InvalidTask', () => {
    expect(toFailure(new DOMException('x', 'AbortError')).code).to.equal('Terminated');
    expect(toFailure(new ConfigError('x')).code).to.equal('InvalidTask');
  });
});

describe('the failure of a file that differs from what is stated', () => {
  for (const [retryable, exit] of [
    [true, EXIT_CODES.sourceUnavailable],
    [false, EXIT_CODES.sourceFailed],
  ] as const)
    it(`is retried by another attempt only if that may help: ${retryable} (FD10)`, () => {
      const failure = toFailure(new AppError('file 3: other bytes', { code: 'SourceMismatch', retryable }));
      expect(failure).to.include({ code: 'SourceMismatch', retriable: retryable });
      expect(exitCodeOf(failure)).to.equal(exit);
    });
});

describe('exitCodeOf', () => {
  it('returns the exit code of a failure code', () => {
    function of(code: FailureCode, retriable: boolean) {
      return exitCodeOf({ code, retriable });
    }
    expect(of('SourceNotFound', false)).to.equal(EXIT_CODES.sourceFailed);
    expect(of('Superseded', true)).to.equal(EXIT_CODES.superseded);
  });
});

describe('terminationText', () => {
  const result = {
    bytes: 1,
    etag: 'e',
    entries: 10_000,
    seconds: 1,
    peakMemory: 1,
    retries: 0,
    contractVersion: 1,
  };

  it('is at most 4 KiB long and drops lists that do not fit', () => {
    const indexes = Array.from({ length: 10_000 }, (_, index) => index);
    const renamed = { total: 1, files: [{ fileIndex: 0, name: 'a' }] };
    const long = { ...result, lengthUnverified: indexes, contentEncoded: indexes, renamed };
    const text = terminationText({ contractVersion: 1, mode: 'archive', result: long });
    expect(JSON.parse(text)).to.deep.equal({ contractVersion: 1, mode: 'archive', result });
    const short = { ...result, lengthUnverified: [1] };
    expect(
      JSON.parse(terminationText({ contractVersion: 1, mode: 'archive', result: short })),
    ).to.deep.include({
      result: short,
    });
  });
});
