import { expect } from 'chai';
import { EXIT_CODES, FAILURE_CODES } from '#crds/zipper-contract.ts';
import { AppError, ConfigError } from '#runtime/errors.ts';
import { exitCodeOf, toFailure } from '#zipper-image/status/failure.ts';
import { terminationText } from '#zipper-image/status/termination.ts';

describe('toFailure', () => {
  it('keeps code, file and status of an error of ours, and says whether another attempt can help', () => {
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

  it('shows no URL and no secret (P9)', () => {
    const error = new AppError(
      'could not fetch https://u:p@h/x?X-Amz-Signature=CANARY (http://h/?sig=CANARY): Bearer CANARY',
      {
        code: 'SourceNotFound',
        retryable: false,
      },
    );
    expect(toFailure(error).message).to.equal('could not fetch [url]: [redacted]');
  });

  it('tells nothing of an error that it does not know', () => {
    expect(toFailure(new TypeError('CANARY'))).to.deep.equal({
      code: 'Internal',
      message: FAILURE_CODES.Internal.text,
      retriable: true,
    });
  });

  it('takes an abort for a request to stop, and a bad setting for a bad task', () => {
    expect(toFailure(new DOMException('x', 'AbortError')).code).to.equal('Terminated');
    expect(toFailure(new ConfigError('x')).code).to.equal('InvalidTask');
  });
});

describe('exitCodeOf', () => {
  it('is that of the code', () => {
    expect(exitCodeOf('SourceNotFound')).to.equal(EXIT_CODES.sourceFailed);
    expect(exitCodeOf('Superseded')).to.equal(EXIT_CODES.superseded);
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

  it('has at most 4 KiB, and lists only where they fit', () => {
    const long = { ...result, lengthUnverified: Array.from({ length: 10_000 }, (_, index) => index) };
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
