import { expect } from 'chai';
import { until } from '#test/support/until.ts';
import { body, failureOf, fill, KEY, PART, UploadBench } from './upload-harness.ts';

const denied = { kind: 'response', status: 403, code: 'AccessDenied' } as const;

describe('abandon', () => {
  let bench: UploadBench;

  beforeEach(async () => {
    bench = await UploadBench.start();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  it('waits for the parts in flight, then aborts (U6) (U10)', async () => {
    const gate = Promise.withResolvers<void>();
    bench.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'hold', until: gate.promise } : undefined;
    const upload = await bench.open();
    await upload.sink.write(Buffer.alloc(2 * PART));
    await until('two parts to be on their way', async () => bench.count('part') === 2);
    const abandoned = upload.abandon();
    gate.resolve();
    await abandoned;
    const operations = bench.hostile.requests.map(({ operation }) => operation);
    expect(operations.lastIndexOf('part')).to.be.below(operations.indexOf('abort'));
    bench.expectNothingLeft();
  });

  it('aborts again while the store still lists parts of the upload (U10)', async () => {
    bench.hostile.fault = ({ operation, nth }) =>
      operation === 'abort' && nth === 1 ? { kind: 'raced' } : undefined;
    const upload = await bench.open();
    await upload.sink.write(Buffer.alloc(2 * PART));
    await upload.abandon();
    expect([bench.count('abort'), bench.count('listParts')]).to.deep.equal([2, 2]);
    bench.expectNothingLeft();
  });

  it('aborts once if it has no permission to list parts (U10)', async () => {
    bench.hostile.fault = ({ operation }) => (operation === 'listParts' ? denied : undefined);
    await (await bench.open()).abandon();
    expect(bench.count('abort')).to.equal(1);
    bench.expectNothingLeft();
  });

  for (const [what, fault, tries] of [
    ['is refused', denied, 1],
    ['finds no such upload', { kind: 'response', status: 404, code: 'NoSuchUpload' }, 3],
    ['gets no response', { kind: 'drop', when: 'before' }, 3],
    ['fails with 500', { kind: 'response', status: 500, code: 'InternalError' }, 3],
  ] as const)
    it(`does not throw if the abort ${what}, and keeps the first failure (U11)`, async () => {
      bench.hostile.fault = ({ operation, partNumber }) => {
        if (operation === 'abort') return fault;
        return partNumber === 2 ? { kind: 'response', status: 400, code: 'InvalidRequest' } : undefined;
      };
      const upload = await bench.open();
      const failure = await failureOf(fill(upload));
      await upload.abandon();
      expect(await failureOf(upload.finishParts())).to.equal(failure);
      expect(bench.count('abort')).to.be.within(1, tries);
      const isGone = 'code' in fault && fault.code === 'NoSuchUpload';
      expect(bench.left.reported()).to.deep.equal(isGone ? {} : { abortFailures: 1 });
      expect(bench.hostile.objects.get(KEY)?.etag).to.equal('"old"');
    });

  it('does not throw if the abort times out (U11)', async () => {
    const gate = Promise.withResolvers<void>();
    await using hasty = await UploadBench.start({ idleTimeoutMs: 400 });
    hasty.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'hold', until: gate.promise } : undefined;
    await (await hasty.open()).abandon();
    expect(hasty.count('abort')).to.equal(3);
    expect(hasty.left.reported()).to.deep.equal({ abortFailures: 1 });
    gate.resolve();
  });
});

describe('cleanup of unrecorded uploads', () => {
  let bench: UploadBench;
  const created = new Date(Date.now() - 60_000);

  beforeEach(async () => {
    bench = await UploadBench.start();
  });
  afterEach(() => bench[Symbol.asyncDispose]());

  /** An upload for the key that was started half a minute ago. */
  const leave = async (key = KEY, change: { initiated?: Date; initiator?: string } = {}): Promise<string> => {
    const id = await bench.store.createUpload(key, 'pod-0');
    const upload = bench.hostile.uploads.get(id);
    Object.assign(upload ?? {}, { initiated: new Date(Date.now() - 30_000), ...change });
    return id;
  };
  const open = () => [...bench.hostile.uploads.keys()];

  it('aborts an upload that a killed attempt of the job did not record (H8)', async () => {
    await leave();
    const upload = await bench.filled({ sweepSince: created });
    expect(open()).to.deep.equal([upload.uploadId]);
    await upload.complete();
    bench.expectPublished();
  });

  it('aborts an upload whose create response was lost (H8)', async () => {
    bench.hostile.fault = ({ operation, nth }) =>
      operation === 'create' && nth === 1 ? { kind: 'drop', when: 'after' } : undefined;
    const upload = await bench.filled();
    expect(bench.count('create')).to.equal(2);
    expect(open()).to.deep.equal([upload.uploadId]);
  });

  it('reports a start without a response, unless the store refused it', async () => {
    bench.hostile.fault = ({ operation }) =>
      operation === 'create' ? { kind: 'drop', when: 'after' } : undefined;
    await failureOf(bench.open());
    expect(bench.left.reported()).to.deep.equal({ startUnconfirmed: true });
    const other = await UploadBench.start();
    other.hostile.fault = () => denied;
    await failureOf(other.open());
    expect(other.left.reported()).to.deep.equal({});
    await other[Symbol.asyncDispose]();
  });

  it('does not list uploads if there can be none', async () => {
    await bench.filled();
    expect(bench.count('listUploads')).to.equal(0);
  });

  for (const [what, make] of [
    ['for a longer key', () => leave(`${KEY}.2`)],
    ['that is older than the job', () => leave(KEY, { initiated: new Date(created.getTime() - 5000) })],
    ['that is younger than this attempt', () => leave(KEY, { initiated: new Date(Date.now() + 60_000) })],
    ['from another initiator', () => leave(KEY, { initiator: 'them' })],
    [
      'that has parts',
      async () => {
        const id = await leave();
        bench.hostile.uploads.get(id)?.parts.set(1, { body, etag: '"x"', crc32: undefined });
        return id;
      },
    ],
  ] as const)
    it(`does not abort an upload ${what}`, async () => {
      const id = await make();
      await bench.filled({ sweepSince: created });
      expect(open()).to.include(id);
    });

  for (const operation of ['listUploads', 'listParts', 'abort'] as const)
    it(`is skipped if ${operation} is denied`, async () => {
      await leave();
      bench.hostile.fault = (request) => (request.operation === operation ? denied : undefined);
      const upload = await bench.filled({ sweepSince: created });
      await upload.complete();
      expect(bench.hostile.objects.get(KEY)?.metadata).to.deep.equal({ 'zip-attempt': 'pod-1' });
    });
});
