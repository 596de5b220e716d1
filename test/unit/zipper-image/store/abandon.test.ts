import { expect } from 'chai';
import type { Fault, SeenRequest } from '#test/support/servers/hostile-store.ts';
import type { Upload } from '#test/support/servers/memory-objects.ts';
import { until } from '#test/support/until.ts';
import { body, briefly, failureOf, fill, KEY, PART, UploadHarness } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;

describe('abandon', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('waits for the response to parts that the store may have whole, then aborts (U6) (U10)', async () => {
    const gate = Promise.withResolvers<void>();
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await harness.open();
    await upload.sink.write(Buffer.alloc(2 * PART));
    await until('two parts to be in flight', async () => harness.count('part') === 2);
    const abandoned = upload.abandon();
    // An abort that did not wait would have been sent before these requests.
    for (let request = 0; request < 5; request += 1) await harness.store.listUploads(KEY);
    expect(harness.count('abort')).to.equal(0);
    gate.resolve();
    await abandoned;
    expect(harness.count('abort')).to.equal(1);
    harness.expectNothingLeft();
  });

  it('aborts again while the store still lists parts of the upload (U10)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'abort' && nth === 1 ? { kind: 'raced' } : undefined;
    const upload = await harness.open();
    await upload.sink.write(Buffer.alloc(2 * PART));
    await upload.abandon();
    expect([harness.count('abort'), harness.count('listParts')]).to.deep.equal([2, 2]);
    harness.expectNothingLeft();
  });

  it('aborts once if it has no permission to list parts, and then leaves it to recovery (U10) (F45)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'listParts' ? denied : undefined);
    await (await harness.open()).abandon();
    expect(harness.count('abort')).to.equal(1);
    expect(harness.left.end()).to.deep.equal({ upload: 'open' });
    harness.expectNothingLeft();
  });

  it('says that nothing remains if the store confirms it (F42) (F45)', async () => {
    await (await harness.open()).abandon();
    expect(harness.left.end()).to.deep.equal({ upload: 'aborted' });
    harness.expectNothingLeft();
  });

  for (const [what, fault] of [
    ['is refused', denied],
    ['finds no such upload', { kind: 'response', status: 404, code: 'NoSuchUpload' }],
    ['gets no response', { kind: 'drop', when: 'before' }],
    ['fails with 500', { kind: 'response', status: 500, code: 'InternalError' }],
  ] as const)
    it(`does not throw if the abort ${what}, and keeps the first failure (U11)`, async () => {
      harness.hostile.fault = ({ operation, partNumber }) => {
        if (operation === 'abort' && 'code' in fault && fault.code === 'NoSuchUpload')
          harness.hostile.uploads.clear();
        if (operation === 'abort') return fault;
        return partNumber === 2 ? { kind: 'response', status: 400, code: 'InvalidRequest' } : undefined;
      };
      const upload = await harness.open({ settings: briefly });
      const failure = await failureOf(fill(upload));
      await upload.abandon();
      expect(await failureOf(upload.finishParts())).to.equal(failure);
      const isGone = 'code' in fault && fault.code === 'NoSuchUpload';
      expect(harness.left.reported()).to.deep.equal(isGone ? {} : { abortFailures: 1 });
      // Complete was not sent, so nothing was published in any case.
      expect(harness.left.end()).to.deep.equal({ upload: isGone ? 'aborted' : 'open' });
      expect(harness.hostile.objects.get(KEY)?.etag).to.equal('"old"');
    });

  it('does not throw if the abort times out (U11)', async () => {
    const gate = Promise.withResolvers<void>();
    await using hasty = await UploadHarness.start({ idleTimeoutMs: 400 });
    hasty.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'hold', until: gate.promise } : undefined;
    await (await hasty.open({ settings: briefly })).abandon();
    expect(hasty.left.reported()).to.deep.equal({ abortFailures: 1 });
    gate.resolve();
  });
});

describe('cleanup of unrecorded uploads', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
    harness.hostile.fault = loseFirstStart;
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  /** The store starts an upload, and the zipper does not receive its ID. */
  function loseFirstStart({ operation, nth }: SeenRequest): Fault | undefined {
    return operation === 'create' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
  }

  /** Opens an upload whose first start was lost, and another one in the meantime. */
  async function openBeside(change: Partial<Upload> & { readonly key?: string } = {}): Promise<string> {
    const { key = KEY, ...rest } = change;
    const other = { key, metadata: {}, parts: new Map(), initiated: new Date(), initiator: 'us', ...rest };
    harness.hostile.fault = (request) => {
      if (request.operation === 'create' && request.nth === 1) harness.hostile.uploads.set('other', other);
      return loseFirstStart(request);
    };
    const upload = await harness.open();
    upload.recorded();
    await fill(upload);
    return upload.uploadId;
  }
  function open() {
    return [...harness.hostile.uploads.keys()];
  }

  it('aborts an upload whose create response was lost, after the own one is recorded (H8) (F37)', async () => {
    const upload = await harness.open();
    expect(harness.count('create')).to.equal(2);
    await upload.sink.write(Buffer.from('few bytes'));
    expect([harness.count('listUploads'), open().length]).to.deep.equal([0, 2]);
    upload.recorded();
    await upload.finishParts();
    expect(open()).to.deep.equal([upload.uploadId]);
  });

  it('leaves it to recovery if the own upload was never recorded (F37)', async () => {
    await (await harness.open()).abandon();
    expect([harness.count('listUploads'), open().length]).to.deep.equal([0, 1]);
    expect(harness.left.reported()).to.deep.equal({ startUnconfirmed: true });
  });

  it('reports a start without a response, unless the store refused it', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'create' ? { kind: 'drop', when: 'after' } : undefined;
    await failureOf(harness.open({ settings: briefly }));
    expect(harness.left.reported()).to.deep.equal({ startUnconfirmed: true });
    const other = await UploadHarness.start();
    other.hostile.fault = () => denied;
    await failureOf(other.open());
    expect(other.left.reported()).to.deep.equal({});
    await other[Symbol.asyncDispose]();
  });

  it('does not list uploads if there can be none', async () => {
    harness.hostile.fault = () => undefined;
    const upload = await harness.open();
    upload.recorded();
    await fill(upload);
    expect(harness.count('listUploads')).to.equal(0);
  });

  it('aborts an upload that was started in the same second (H8)', async () => {
    expect(await openBeside()).to.equal(open().at(-1));
    expect(open()).to.have.length(1);
  });

  it('aborts an upload of a store that computes its Date once a second (H8)', async () => {
    harness.hostile.clockAheadMs = -1000;
    const upload = await harness.open();
    upload.recorded();
    await fill(upload);
    expect(open()).to.deep.equal([upload.uploadId]);
  });

  for (const [what, other] of [
    ['for a longer key', { key: `${KEY}.2` }],
    ['that is older than the lost start', { initiated: new Date(Date.now() - 5000) }],
    ['that is younger than the lost start', { initiated: new Date(Date.now() + 60_000) }],
    ['from another initiator', { initiator: 'them' }],
    ['that has parts', { parts: new Map([[1, { body, etag: '"x"', crc32: undefined }]]) }],
  ] as const)
    it(`does not abort an upload ${what} (F43)`, async () => {
      await openBeside(other);
      expect(open()).to.include('other');
    });

  it('aborts nothing where a job of another namespace may write the same object (F43)', async () => {
    const upload = await harness.open({ isShared: true });
    upload.recorded();
    await fill(upload);
    expect(open()).to.have.length(2);
    expect(harness.left.reported()).to.deep.equal({ abortFailures: 1 });
  });

  for (const operation of ['listUploads', 'listParts', 'abort'] as const)
    it(`is skipped if ${operation} is denied`, async () => {
      harness.hostile.fault = (request) =>
        request.operation === operation ? denied : loseFirstStart(request);
      const upload = await harness.open();
      upload.recorded();
      await fill(upload);
      await upload.complete();
      expect(harness.hostile.objects.get(KEY)?.metadata).to.deep.equal({ 'zip-attempt': 'pod-1' });
    });
});
