import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { body, failureOf, fill, KEY, PART, UploadHarness } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;

describe('abandon', () => {
  let harness: UploadHarness;

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  it('waits for the parts in flight, then aborts (U6) (U10)', async () => {
    const gate = Promise.withResolvers<void>();
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await harness.open();
    await upload.sink.write(Buffer.alloc(2 * PART));
    await until('two parts to be in flight', async () => harness.count('part') === 2);
    const abandoned = upload.abandon();
    gate.resolve();
    await abandoned;
    const operations = harness.hostile.requests.map(({ operation }) => operation);
    expect(operations.lastIndexOf('part')).to.be.below(operations.indexOf('abort'));
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

  it('aborts once if it has no permission to list parts (U10)', async () => {
    harness.hostile.fault = ({ operation }) => (operation === 'listParts' ? denied : undefined);
    await (await harness.open()).abandon();
    expect(harness.count('abort')).to.equal(1);
    harness.expectNothingLeft();
  });

  for (const [what, fault, tries] of [
    ['is refused', denied, 1],
    ['finds no such upload', { kind: 'response', status: 404, code: 'NoSuchUpload' }, 3],
    ['gets no response', { kind: 'drop', when: 'before' }, 3],
    ['fails with 500', { kind: 'response', status: 500, code: 'InternalError' }, 3],
  ] as const)
    it(`does not throw if the abort ${what}, and keeps the first failure (U11)`, async () => {
      harness.hostile.fault = ({ operation, partNumber }) => {
        if (operation === 'abort' && 'code' in fault && fault.code === 'NoSuchUpload')
          harness.hostile.uploads.clear();
        if (operation === 'abort') return fault;
        return partNumber === 2 ? { kind: 'response', status: 400, code: 'InvalidRequest' } : undefined;
      };
      const upload = await harness.open();
      const failure = await failureOf(fill(upload));
      await upload.abandon();
      expect(await failureOf(upload.finishParts())).to.equal(failure);
      expect(harness.count('abort')).to.be.within(1, tries);
      const isGone = 'code' in fault && fault.code === 'NoSuchUpload';
      expect(harness.left.reported()).to.deep.equal(isGone ? {} : { abortFailures: 1 });
      expect(harness.hostile.objects.get(KEY)?.etag).to.equal('"old"');
    });

  it('does not throw if the abort times out (U11)', async () => {
    const gate = Promise.withResolvers<void>();
    await using hasty = await UploadHarness.start({ idleTimeoutMs: 400 });
    hasty.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'hold', until: gate.promise } : undefined;
    await (await hasty.open()).abandon();
    expect(hasty.count('abort')).to.equal(3);
    expect(hasty.left.reported()).to.deep.equal({ abortFailures: 1 });
    gate.resolve();
  });
});

describe('cleanup of unrecorded uploads', () => {
  let harness: UploadHarness;
  const created = new Date(Date.now() - 60_000);

  beforeEach(async () => {
    harness = await UploadHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  /** An upload for the key that was started half a minute ago. */
  const startUpload = async (
    key = KEY,
    change: { initiated?: Date; initiator?: string } = {},
  ): Promise<string> => {
    const id = await harness.store.createUpload(key, 'pod-0');
    const upload = harness.hostile.uploads.get(id);
    Object.assign(upload ?? {}, { initiated: new Date(Date.now() - 30_000), ...change });
    return id;
  };
  const open = () => [...harness.hostile.uploads.keys()];

  it('aborts an upload that a killed attempt of the job did not record (H8)', async () => {
    await startUpload();
    const upload = await harness.filled({ sweepSince: created });
    expect(open()).to.deep.equal([upload.uploadId]);
    await upload.complete();
    harness.expectPublished();
  });

  it('aborts an upload whose create response was lost (H8)', async () => {
    harness.hostile.fault = ({ operation, nth }) =>
      operation === 'create' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    const upload = await harness.filled();
    expect(harness.count('create')).to.equal(2);
    expect(open()).to.deep.equal([upload.uploadId]);
  });

  it('reports a start without a response, unless the store refused it', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'create' ? { kind: 'drop', when: 'after' } : undefined;
    await failureOf(harness.open());
    expect(harness.left.reported()).to.deep.equal({ startUnconfirmed: true });
    const other = await UploadHarness.start();
    other.hostile.fault = () => denied;
    await failureOf(other.open());
    expect(other.left.reported()).to.deep.equal({});
    await other[Symbol.asyncDispose]();
  });

  it('does not list uploads if there can be none', async () => {
    await harness.filled();
    expect(harness.count('listUploads')).to.equal(0);
  });

  for (const [what, make] of [
    ['for a longer key', () => startUpload(`${KEY}.2`)],
    ['that is older than the job', () => startUpload(KEY, { initiated: new Date(created.getTime() - 5000) })],
    [
      'that is younger than this attempt',
      () => startUpload(KEY, { initiated: new Date(Date.now() + 60_000) }),
    ],
    ['from another initiator', () => startUpload(KEY, { initiator: 'them' })],
    [
      'that has parts',
      async () => {
        const id = await startUpload();
        harness.hostile.uploads.get(id)?.parts.set(1, { body, etag: '"x"', crc32: undefined });
        return id;
      },
    ],
  ] as const)
    it(`does not abort an upload ${what}`, async () => {
      const id = await make();
      await harness.filled({ sweepSince: created });
      expect(open()).to.include(id);
    });

  for (const operation of ['listUploads', 'listParts', 'abort'] as const)
    it(`is skipped if ${operation} is denied`, async () => {
      await startUpload();
      harness.hostile.fault = (request) => (request.operation === operation ? denied : undefined);
      const upload = await harness.filled({ sweepSince: created });
      await upload.complete();
      expect(harness.hostile.objects.get(KEY)?.metadata).to.deep.equal({ 'zip-attempt': 'pod-1' });
    });
});
