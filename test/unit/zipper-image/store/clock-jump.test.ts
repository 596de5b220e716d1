import { expect } from 'chai';
import { body, UploadHarness } from './upload-harness.ts';

const HOUR_MS = 3_600_000;
/** S3 refuses signatures that are older or newer. */
const MAX_SKEW_MS = 900_000;
const RealDate = Date;

function signedAt(text: unknown): number {
  return RealDate.parse(
    String(text).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}

/** A clock that is off by this much from now on. */
function shiftClock(ms: number): Disposable {
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      super(...((args.length === 0 ? [RealDate.now() + ms] : args) as [number]));
    }

    static override now(): number {
      return RealDate.now() + ms;
    }
  } as DateConstructor;
  return {
    [Symbol.dispose]: () => {
      globalThis.Date = RealDate;
    },
  };
}

describe('an upload', () => {
  for (const jumpMs of [HOUR_MS, -HOUR_MS])
    it(`continues when the clock jumps by ${jumpMs / HOUR_MS} h between two parts (F18) (F32)`, async () => {
      await using harness = await UploadHarness.start();
      harness.hostile.fault = ({ headers }) =>
        Math.abs(signedAt(headers['x-amz-date']) - RealDate.now()) > MAX_SKEW_MS
          ? { kind: 'response', status: 403, code: 'RequestTimeTooSkewed' }
          : undefined;
      const upload = await harness.open();
      using _clock = shiftClock(jumpMs);
      await upload.sink.write(body);
      await upload.finishParts();
      await upload.complete();
      expect(harness.failures).to.deep.equal([]);
    });
});
