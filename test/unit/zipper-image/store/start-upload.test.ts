import { expect } from 'chai';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { startTlsFront } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { checkBucket } from '#zipper-image/tasks/check-bucket.ts';
import { briefly, KEY, settings, UploadHarness } from './upload-harness.ts';

/** Longer than any test. */
const LONG_MS = 60_000;
const log = createLogger('test', { level: 'silent' });

describe('starting an upload during a stop', () => {
  const reason = new AppError('the pod is stopping', { code: 'Terminated', retryable: true });
  const longGrace = { ...settings, storeStartGraceMs: LONG_MS };
  let harness: UploadHarness;
  let stop: AbortController;
  let gate: PromiseWithResolvers<void>;

  beforeEach(async () => {
    harness = await UploadHarness.start({ idleTimeoutMs: LONG_MS });
    stop = new AbortController();
    gate = Promise.withResolvers<void>();
    harness.hostile.fault = ({ operation }) =>
      operation === 'create' ? { kind: 'hold', until: gate.promise } : undefined;
  });
  afterEach(async () => {
    gate.resolve();
    await harness[Symbol.asyncDispose]();
  });

  /** Opens, stops while the store processes the start, and returns the result of opening. */
  async function stopped(change: Parameters<UploadHarness['open']>[0]): Promise<{ end: Promise<unknown> }> {
    const end = harness.open({ signal: stop.signal, ...change }).then(
      () => 'opened',
      (error: unknown) => error,
    );
    await until('the start to reach the store', () => harness.count('create') > 0);
    stop.abort(reason);
    return { end };
  }

  it('waits for the late response and aborts its upload (H8, F8)', async () => {
    const { end } = await stopped({ settings: longGrace });
    gate.resolve();
    expect(await end).to.equal(reason);
    expect([harness.count('create'), harness.count('abort'), harness.count('part')]).to.deep.equal([1, 1, 0]);
    harness.expectNothingLeft();
    expect(harness.left.reported()).to.deep.equal({});
  });

  it('gives up after the grace period, and the termination message reports it (H8)', async () => {
    const { end } = await stopped({ settings: { ...settings, storeStartGraceMs: 20 } });
    expect(await end).to.equal(reason);
    expect(harness.left.reported()).to.deep.equal({ startUnconfirmed: true });
  });

  it('does not retry after a failure', async () => {
    const slowly = gate.promise.then(() => harness.hostile.closeConnections());
    harness.hostile.fault = () => ({ kind: 'hold', until: slowly });
    const { end } = await stopped({ settings: longGrace });
    gate.resolve();
    expect(await end).to.equal(reason);
    expect(harness.count('create')).to.equal(1);
    expect(harness.left.reported()).to.deep.equal({ startUnconfirmed: true });
  });

  it('reports nothing if the stop came before the request', async () => {
    stop.abort(reason);
    const end = await harness.open({ signal: stop.signal }).catch((error: unknown) => error);
    expect(end).to.equal(reason);
    expect(harness.count('create')).to.equal(0);
    expect(harness.left.reported()).to.deep.equal({});
  });

  it('leaves an earlier lost start to the recovery (H8)', async () => {
    harness.hostile.fault = ({ operation, nth }) => {
      if (operation === 'create')
        return nth === 1 ? { kind: 'drop', when: 'after' } : { kind: 'hold', until: gate.promise };
      return undefined;
    };
    const end = harness.open({ signal: stop.signal, settings: longGrace }).catch((error: unknown) => error);
    await until('the second start to reach the store', () => harness.count('create') === 2);
    stop.abort(reason);
    gate.resolve();
    expect(await end).to.equal(reason);
    expect(harness.count('abort')).to.equal(1);
    expect(harness.left.reported()).to.include({ startUnconfirmed: true });
  });

  it('aborts the upload of a bucket check as well', async () => {
    const { store } = harness;
    const { signal } = stop;
    const end = checkBucket({ store, settings: longGrace, log, podUid: 'pod-1', signal, toFailure });
    await until('the start to reach the store', () => harness.count('create') > 0);
    stop.abort(reason);
    gate.resolve();
    expect(await end).to.include({ ok: false });
    expect([harness.count('part'), harness.count('abort'), harness.hostile.uploads.size]).to.deep.equal([
      0, 1, 0,
    ]);
    expect(harness.hostile.objects.has(KEY)).to.equal(true);
  });
});

describe('starting an upload at a store that cannot be reached', () => {
  async function failed(endpoint: string): Promise<readonly [unknown, object]> {
    await using harness = await UploadHarness.start({ endpoint });
    const end = await harness.open({ settings: briefly }).catch((error: unknown) => error);
    return [end, harness.left.reported()];
  }

  it('needs no recovery if the store refuses connections (F25)', async () => {
    const [error, left] = await failed('http://127.0.0.1:1');
    expect(error).to.include({ code: 'StoreUnavailable', storeCode: 'ECONNREFUSED' });
    expect(left).to.deep.equal({});
  });

  it('needs no recovery if the certificate of the store is not trusted (F25)', async () => {
    await using front = await startTlsFront('http://127.0.0.1:1');
    const [error, left] = await failed(front.url);
    expect(error).to.include({ code: 'BucketMisconfigured' });
    expect(left).to.deep.equal({});
  });

  it('needs no recovery if the store may not be reached (F25)', async () => {
    const [error, left] = await failed('http://192.0.2.1');
    expect(error).to.include({ code: 'BucketMisconfigured' });
    expect(left).to.deep.equal({});
  });

  it('is repeated until the store is back (F36)', async () => {
    await using harness = await UploadHarness.start();
    harness.hostile.blip(1_000);
    await (await harness.open()).abandon();
    expect(harness.count('create')).to.equal(1);
  });

  it('fails within seconds if its host does not exist (U17)', async () => {
    await using harness = await UploadHarness.start({ endpoint: 'http://store.invalid' });
    const hour = { ...settings, storeRetryLimitMs: 3_600_000, storeRetryMaxMs: 500 };
    const error = await harness.open({ settings: hour }).catch((thrown: unknown) => thrown);
    expect(error).to.include({ code: 'BucketMisconfigured' });
    expect(harness.count('create')).to.equal(0);
  });
});
