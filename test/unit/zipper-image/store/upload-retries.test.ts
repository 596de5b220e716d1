import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { body, briefly, failureOf, fill, PART, settings, UploadHarness } from './upload-harness.ts';

const HOUR = 3_600_000;

describe('parts on a failing store', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('are retried after 500, SlowDown, 408, 429 and resets, with the same bytes (U12)', async () => {
    const faults = [
      { kind: 'response', status: 500, code: 'InternalError' },
      { kind: 'response', status: 503, code: 'SlowDown' },
      { kind: 'drop', when: 'before' },
      { kind: 'drop', when: 'after' },
      { kind: 'response', status: 400, code: 'RequestTimeout' },
      { kind: 'response', status: 429, code: 'TooManyRequests' },
    ] as const;
    harness.hostile.fault = ({ operation, nth, partNumber = 0 }) =>
      operation === 'part' && nth === 1 ? faults[partNumber - 1] : undefined;
    const upload = await harness.filled();
    await upload.complete();
    harness.expectPublished();
    expect(upload.retries).to.equal(6);
  });

  it('are signed again with the clock of the store if the local clock is wrong (U12)', async () => {
    const ahead = new Date(Date.now() + HOUR);
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'part' && nth === 1
        ? {
            kind: 'response',
            status: 403,
            code: 'RequestTimeTooSkewed',
            headers: { date: ahead.toUTCString() },
          }
        : undefined;
    const upload = await harness.open();
    await fill(upload, Buffer.from('one part'));
    await upload.complete();
    const times = harness.hostile.requests
      .filter(({ operation }) => operation === 'part')
      .map(({ headers }) => String(headers['x-amz-date']));
    expect(times.length).to.equal(2);
    const hours = times.map((time) => Number(time.slice(9, 11)));
    expect(((hours[1] ?? 0) - (hours[0] ?? 0) + 24) % 24).to.equal(1);
  });

  for (const [status, code] of [
    [400, 'InvalidRequest'],
    [401, 'Unauthorized'],
    [403, 'AccessDenied'],
    [404, 'NoSuchUpload'],
    [405, 'MethodNotAllowed'],
  ] as const)
    it(`fail immediately after ${status} ${code} (U12)`, async () => {
      harness.hostile.fault = ({ operation, partNumber }) =>
        operation === 'part' && partNumber === 2 ? { kind: 'response', status, code } : undefined;
      const upload = await harness.open();
      expect(await failureOf(fill(upload))).to.include({ retryable: false, httpStatus: status });
      expect(harness.hostile.requests.filter(({ partNumber }) => partNumber === 2).length).to.equal(1);
      await upload.abandon();
      harness.expectNothingLeft();
    });

  it('fail when none succeeded within the time for retries, and leave no upload (U12)', async () => {
    const realNow = performance.now.bind(performance);
    let skippedMs = 0;
    performance.now = () => realNow() + skippedMs;
    try {
      harness.hostile.fault = ({ operation, nth }) => {
        if (operation !== 'part') return undefined;
        if (nth === 3) skippedMs = settings.storeRetryLimitMs;
        return { kind: 'response', status: 500, code: 'InternalError' };
      };
      const upload = await harness.open();
      expect(await failureOf(fill(upload, Buffer.from('x')))).to.include({
        code: 'StoreUnavailable',
        retryable: true,
      });
      expect(harness.count('part')).to.equal(3);
      await upload.abandon();
      harness.expectNothingLeft();
    } finally {
      performance.now = realNow;
    }
  });

  for (const ms of [200, 2_000])
    it(`survive a store that is away for ${ms} ms (F36)`, async () => {
      const upload = await harness.open();
      harness.hostile.fault = ({ operation, partNumber, nth }) => {
        if (operation !== 'part' || partNumber !== 2 || nth > 1) return undefined;
        harness.hostile.blip(ms);
        return { kind: 'drop', when: 'before' };
      };
      await fill(upload);
      await upload.complete();
      harness.expectPublished();
    });

  it('are retried as long as others succeed (F36)', async () => {
    const realNow = performance.now.bind(performance);
    let skips = 0;
    performance.now = () => realNow() + skips * 0.9 * settings.storeRetryLimitMs;
    try {
      const upload = await harness.open();
      let confirmedAtSkip = 0;
      harness.hostile.fault = ({ operation, partNumber }) => {
        if (operation !== 'part' || partNumber !== 2 || skips === 3) return undefined;
        // Nearly all of the time passes between two parts that succeed.
        if (upload.bytesUploaded > confirmedAtSkip) skips += 1;
        confirmedAtSkip = upload.bytesUploaded;
        return { kind: 'drop', when: 'before' };
      };
      for (const wantedSkips of [0, 0, 1, 2, 3]) {
        await until('the time to pass', () => skips >= wantedSkips);
        await upload.sink.write(body.subarray(0, PART));
      }
      await upload.finishParts();
      expect(harness.failures).to.deep.equal([]);
    } finally {
      performance.now = realNow;
    }
  });

  it('wait as long as Retry-After of the store requests, at most the maximum (F36)', async () => {
    const times: number[] = [];
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation !== 'part') return undefined;
      times.push(performance.now());
      const headers = { 'retry-after': nth === 1 ? '1' : '3600' };
      return nth < 3 ? { kind: 'response', status: 503, code: 'SlowDown', headers } : undefined;
    };
    const upload = await harness.open({ settings: { ...settings, storeRetryMaxMs: 1500 } });
    await fill(upload, Buffer.from('one part'));
    const [first = 0, second = 0, third = 0] = times;
    expect(second - first).to.be.at.least(990);
    expect(third - second).to.be.at.least(1490);
  });

  const BUSY_PARTS = 20;

  it('succeed on a store that throttles half of the requests for a while, each exactly once (U19)', async () => {
    let partRequests = 0;
    let throttled = 0;
    harness.hostile.fault = ({ operation }) => {
      if (operation !== 'part' || partRequests === BUSY_PARTS) return undefined;
      partRequests += 1;
      if (partRequests % 2 === 0) return undefined;
      throttled += 1;
      return { kind: 'response', status: 503, code: 'SlowDown' };
    };
    const upload = await harness.open({
      settings: { ...settings, storeRetryBaseMs: 5, storeRetryMaxMs: 100 },
    });
    const large = Buffer.concat(Array.from({ length: 8 }, () => body));
    const parts = await fill(upload, large);
    expect(parts).to.equal(Math.ceil(large.length / PART));
    await upload.complete();
    harness.expectPublished(large);
    expect(throttled).to.equal(BUSY_PARTS / 2);
    expect(harness.count('part')).to.equal(parts + throttled);
    expect(upload.retries).to.equal(throttled);
  });
});

describe('a stalled store', () => {
  const PARTS = 1024 * 1024;
  let harness: UploadHarness;
  let gate: PromiseWithResolvers<void>;

  beforeEach(async () => {
    gate = Promise.withResolvers<void>();
    harness = await UploadHarness.start({ idleTimeoutMs: 300 });
  });
  afterEach(async () => {
    gate.resolve();
    await harness[Symbol.asyncDispose]();
  });

  it('blocks the writer, so memory is limited to the buffers (U18)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await harness.open();
    expect(upload.sink.write(Buffer.alloc(4 * PART))).to.equal(undefined);
    const full = upload.sink.write(Buffer.alloc(1));
    expect(full).to.be.instanceOf(Promise);
    gate.resolve();
    await full;
    await upload.finishParts();
    await upload.abandon();
  });

  for (const [what, kind] of [
    ['accepts a part and never responds', 'hold'],
    ['accepts a connection and never reads', 'deaf'],
  ] as const)
    it(`that ${what} fails after the idle timeout, with memory limited to the buffers (U18)`, async () => {
      harness.hostile.fault = ({ operation }) =>
        operation === 'part' ? { kind, until: gate.promise } : undefined;
      const few = { ...briefly, partSizeBytes: 5 * PARTS, storeBufferBytes: 0 };
      const upload = await harness.open({ settings: few });
      const before = process.memoryUsage().arrayBuffers;
      const piece = Buffer.alloc(PARTS);
      let peak = 0;
      async function pour(): Promise<void> {
        for (let at = 0; at < 64; at += 1) {
          await upload.sink.write(piece);
          peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
        }
      }
      expect(await failureOf(pour())).to.include({ code: 'StoreUnavailable', retryable: true });
      // Three parts, and the start of the upload.
      expect(new Set(harness.hostile.requests.map(({ partNumber }) => partNumber)).size).to.be.at.most(4);
      expect(peak).to.be.below(3 * few.partSizeBytes + 24 * PARTS);
      gate.resolve();
      await upload.abandon();
      harness.expectNothingLeft();
    }).timeout(60_000);

  it('does not time out while it keeps reading slowly (U18)', async () => {
    // Each pause is far below the idle timeout even on a busy machine; the sum of the pauses is above it.
    await using slow = await UploadHarness.start({ idleTimeoutMs: 1_500 });
    slow.hostile.fault = ({ operation, partNumber }) =>
      operation === 'part' && partNumber === 1 ? { kind: 'slow', bytesPerSecond: 8 * PARTS } : undefined;
    const large = { ...settings, partSizeBytes: 16 * PARTS };
    const upload = await slow.open({ settings: large });
    const bytes = Buffer.alloc(large.partSizeBytes + 9, 7);
    await fill(upload, bytes, 100_000);
    await upload.complete();
    slow.expectPublished(bytes);
    expect(upload.retries).to.equal(0);
  }).timeout(60_000);
});
