import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log.ts';
import { until } from '#test/support/until.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { KEY, settings, UploadBench } from './upload-bench.ts';

/** Longer than any test. */
const PATIENT_MS = 60_000;
const log = createLogger('test', { level: 'silent' });

describe('the start of an upload that a stop meets on its way', () => {
  const reason = new AppError('the pod is told to stop', { code: 'Terminated', retryable: true });
  const patient = { ...settings, storeStartGraceMs: PATIENT_MS };
  let bench: UploadBench;
  let stop: AbortController;
  let gate: PromiseWithResolvers<void>;

  beforeEach(async () => {
    bench = await UploadBench.start({ idleTimeoutMs: PATIENT_MS });
    stop = new AbortController();
    gate = Promise.withResolvers<void>();
    bench.hostile.fault = ({ operation }) =>
      operation === 'create' ? { kind: 'hold', until: gate.promise } : undefined;
  });
  afterEach(async () => {
    gate.resolve();
    await bench[Symbol.asyncDispose]();
  });

  /** Opens, stops while the start is with the store, and answers how the opening ended. */
  const stopped = async (change: Parameters<UploadBench['open']>[0]): Promise<{ end: Promise<unknown> }> => {
    const end = bench.open({ signal: stop.signal, ...change }).then(
      () => 'opened',
      (error: unknown) => error,
    );
    await until('the start to be with the store', () => bench.count('create') > 0);
    stop.abort(reason);
    return { end };
  };

  it('is waited for, and aborted by the id that the late answer tells (H8, F8)', async () => {
    const { end } = await stopped({ settings: patient });
    gate.resolve();
    expect(await end).to.equal(reason);
    expect([bench.count('create'), bench.count('abort'), bench.count('part')]).to.deep.equal([1, 1, 0]);
    bench.expectNothingLeft();
    expect(bench.left.reported()).to.deep.equal({});
  });

  it('is given up when the grace is over, and the last word says so (H8)', async () => {
    const { end } = await stopped({ settings: { ...settings, storeStartGraceMs: 20 } });
    expect(await end).to.equal(reason);
    expect(bench.left.reported()).to.deep.equal({ startUnconfirmed: true });
  });

  it('is not tried again once it has failed', async () => {
    const slowly = gate.promise.then(() => bench.hostile.closeConnections());
    bench.hostile.fault = () => ({ kind: 'hold', until: slowly });
    const { end } = await stopped({ settings: patient });
    gate.resolve();
    expect(await end).to.equal(reason);
    expect(bench.count('create')).to.equal(1);
    expect(bench.left.reported()).to.deep.equal({ startUnconfirmed: true });
  });

  it('leaves nothing to look for when the stop came before it was sent', async () => {
    stop.abort(reason);
    const end = await bench.open({ signal: stop.signal }).catch((error: unknown) => error);
    expect(end).to.equal(reason);
    expect(bench.count('create')).to.equal(0);
    expect(bench.left.reported()).to.deep.equal({});
  });

  it('leaves the look for an earlier lost one to the recovery (H8)', async () => {
    bench.hostile.fault = ({ operation, nth }) => {
      if (operation === 'create')
        return nth === 1 ? { kind: 'drop', when: 'after' } : { kind: 'hold', until: gate.promise };
      return undefined;
    };
    const end = bench.open({ signal: stop.signal, settings: patient }).catch((error: unknown) => error);
    await until('the second start to be with the store', () => bench.count('create') === 2);
    stop.abort(reason);
    gate.resolve();
    expect(await end).to.equal(reason);
    expect(bench.count('abort')).to.equal(1);
    expect(bench.left.reported()).to.include({ startUnconfirmed: true });
  });

  it('is aborted by the check of a bucket as well', async () => {
    const { store } = bench;
    const { signal } = stop;
    const end = checkBucket({ store, settings: patient, log, podUid: 'pod-1', signal, toFailure });
    await until('the start to be with the store', () => bench.count('create') > 0);
    stop.abort(reason);
    gate.resolve();
    expect(await end).to.include({ ok: false });
    expect([bench.count('part'), bench.count('abort'), bench.hostile.uploads.size]).to.deep.equal([0, 1, 0]);
    expect(bench.hostile.objects.has(KEY)).to.equal(true);
  });
});
