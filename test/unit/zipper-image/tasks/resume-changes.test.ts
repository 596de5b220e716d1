/** A pod continues the upload of an earlier one, and something has changed in between. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { ResumeRefusal } from '#crds/zip-job.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { until } from '#test/support/until.ts';
import { type Contents, contents, finished, killedAfter, optionsOf, undisturbed } from './resume-files.ts';
import { ResumeWorld } from './resume-world.ts';

describe('an upload of an earlier pod, after a change', () => {
  let all: Contents;
  let world: ResumeWorld;
  beforeEach(async () => {
    all = contents();
    world = await ResumeWorld.start(optionsOf(all));
  });
  afterEach(() => world[Symbol.asyncDispose]());

  function uploadOfStore() {
    const [upload] = world.hostile.uploads.values();
    if (!upload) throw new Error('the store has no upload');
    return upload;
  }

  /** Other bytes of the same length. */
  function change(name: keyof Contents): void {
    all[name].body = randomBytes(all[name].body.length);
    if (all[name].etag !== undefined) all[name].etag = `"${name} 2"`.replace(' ', '-');
  }

  /** What the archive has of each file whose content can change. */
  function assertUnmixed(before: Contents, archive: Buffer | undefined): readonly boolean[] {
    const { entries } = readZip(archive ?? Buffer.alloc(0));
    const names = [
      'first',
      'large',
      'small',
      undefined,
      'middle',
      undefined,
      'unnamed',
      undefined,
      'second',
      'last',
    ];
    return names.flatMap((name, index) => {
      if (name === undefined) return [];
      const found = contentOf(entries[index]!);
      const isOld = found.equals(before[name as keyof Contents].body);
      const isNew = found.equals(all[name as keyof Contents].body);
      expect(isOld || isNew, `${name} is mixed`).to.equal(true);
      return [isNew];
    });
  }

  for (const parts of [4, 9, 13, 17, 22, 30])
    it(`has each file from one version, if all change after ${parts} parts (G12)`, async () => {
      await killedAfter(world, parts);
      const before = structuredClone(all) as Contents;
      for (const name of Object.keys(all) as (keyof Contents)[]) {
        before[name].body = Buffer.from(all[name].body);
        change(name);
      }
      const second = world.nextPod();
      await finished(second);
      const isNew = assertUnmixed(before, world.archive);
      expect(isNew.at(-1)).to.equal(true);
      // Before that, each file shares a part with one that has a part that is made again.
      const isKept = parts >= 22;
      expect(isNew[0]).to.equal(!isKept);
      expect((world.uploadOf(second)?.resumedParts ?? 0) > 0).to.equal(isKept);
    });

  it('makes parts again that the store has lost, or has other ones of (G12)', async () => {
    const { archive } = await undisturbed(world);
    await killedAfter(world, 20);
    const { parts } = uploadOfStore();
    parts.delete(3);
    parts.delete(15);
    const sixth = parts.get(6)!;
    parts.set(6, { ...sixth, etag: sixth.etag.replace(/[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0')) });
    const second = world.nextPod();
    await finished(second);
    expect(world.archive?.equals(archive)).to.equal(true);
    expect(world.uploadOf(second)?.resumedParts).to.be.within(1, 30);
  });

  it('takes no ranges from sources without them (G12)', async () => {
    const { archive } = await undisturbed(world);
    await killedAfter(world, 20);
    for (const content of Object.values(all)) content.ranges = false;
    await finished(world.nextPod());
    expect(world.archive?.equals(archive)).to.equal(true);
  });

  it('fetches of a large file only what is missing (G12)', async () => {
    const { archive } = await undisturbed(world);
    await killedAfter(world, 20);
    // Within the second file.
    uploadOfStore().parts.delete(5);
    const before = world.origin.requests.length;
    await finished(world.nextPod());
    expect(world.archive?.equals(archive)).to.equal(true);
    const again = world.origin.requests.slice(before).filter(({ path }) => path === '/large');
    const bytes = again.map(({ headers }) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] as string) ?? [];
      return 1 + Number(to) - Number(from);
    });
    expect(again.every(({ headers }) => headers['if-range'] === '"large"')).to.equal(true);
    // The question, and the part.
    expect(bytes.reduce((sum, one) => sum + one, 0)).to.be.within(200_000, world.settings.partSizeBytes + 1);
  });

  const REFUSALS: Readonly<Record<ResumeRefusal, () => void>> = {
    NoCheckpoint: () => {
      world.checkpoint = undefined;
    },
    OtherPlan: () => {
      world.checkpoint = { ...world.checkpoint!, plan: '0'.repeat(64) };
    },
    UploadGone: () => world.hostile.uploads.clear(),
    PartsHidden: () => {
      let isOver = false;
      world.hostile.fault = ({ operation }) => {
        if (operation === 'create') isOver = true;
        const isRefused = operation === 'listParts' && !isOver;
        return isRefused ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
      };
    },
    PartsDiffer: () => {
      const { parts } = uploadOfStore();
      for (const [number, part] of parts) parts.set(number, { ...part, etag: '"not-a-digest"' });
      world.attempts = [{ podUid: 'pod-1' }];
    },
    LayoutChanged: () => {
      // A part in the middle of a small file in front of parts that are kept.
      uploadOfStore().parts.delete(2);
      all.first.body = randomBytes(all.first.body.length + 1);
    },
    SingleUse: () => {
      world.task = { ...world.task, sequential: true };
    },
  };

  for (const [refusal, cause] of Object.entries(REFUSALS))
    it(`is discarded with ${refusal} (G12)`, async () => {
      const first = await killedAfter(world, 20);
      const old = world.inherits?.uploadId;
      cause();
      if (refusal === 'SingleUse') world.checkpoint = { ...world.checkpoint!, plan: await planOfNext() };
      if (refusal === 'PartsDiffer') await recordAnyEtags();
      const second = world.nextPod();
      const { result } = await finished(second);
      expect(result?.resumes).to.equal(undefined);
      expect(world.hostile.uploads.size).to.equal(0);
      const states = world.server.writes.map(({ status }) => status.upload);
      const discarded = states.find((upload) => upload?.state === 'discarded');
      expect(discarded).to.include({ uploadId: old, owner: first.uid, refusal });
      expect(world.uploadOf(second)).to.include({ refusal, state: 'committing' });
      expect(world.uploadOf(second)?.uploadId).to.not.equal(old);
      const order = [
        'checkpoint read',
        'status discarded after',
        'abortUpload before',
        'createUpload before',
      ];
      const steps = order.map((step) => second.steps.indexOf(step));
      expect(steps).to.deep.equal(steps.toSorted((a, b) => a - b));
      expect(Math.min(...steps)).to.be.at.least(0);
      const { entries } = readZip(world.archive ?? Buffer.alloc(0));
      expect(contentOf(entries[0]!).equals(all.first.body)).to.equal(true);
    });

  for (const [what, url, refusal] of [
    ['an object of a bucket, which may have a CRC-32 now', 's3://files/large', 'LayoutChanged'],
    ['a file of a URL, which keeps its form', undefined, undefined],
  ] as const)
    it(`is ${refusal ? 'discarded' : 'continued'} if kept parts are behind another version of ${what} (G12)`, async () => {
      world.listed = world.files.map((file, index) =>
        index === 1 && url !== undefined ? { ...file, url } : file,
      );
      await killedAfter(world, 20);
      uploadOfStore().parts.delete(5);
      change('large');
      const second = world.nextPod();
      const { result } = await finished(second);
      expect(world.uploadOf(second)?.refusal).to.equal(refusal);
      expect(result?.resumes).to.equal(refusal ? undefined : 1);
      const { entries } = readZip(world.archive ?? Buffer.alloc(0));
      expect(contentOf(entries[1]!).equals(all.large.body)).to.equal(true);
    });

  /** The plan that the next pod has. */
  async function planOfNext(): Promise<string> {
    const { planDigest } = await import('#zipper-image/resume/plan.ts');
    const { partSizeBytes, sourceUnknownLengthZip64 } = world.settings;
    const sizes = { partSizeBytes, equalParts: world.createStore().capabilities.equalParts };
    return planDigest({ task: world.task, files: world.files, sizes, sourceUnknownLengthZip64 });
  }

  /** The checkpoint of a store whose ETags are no digests. */
  async function recordAnyEtags(): Promise<void> {
    const { decodeRecords, encodeRecords } = await import('#zipper-image/resume/document.ts');
    const { recordPart } = await import('#zipper-image/resume/list-kept.ts');
    const records = decodeRecords(world.checkpoint!.records);
    const parts = records.parts.map((part) => {
      const digests = { kind: 'crc32', crc32: part.crc32 ?? 0 } as const;
      return recordPart({ ...part, etag: 'not-a-digest', etagIsMd5: false, digests });
    });
    world.checkpoint = { ...world.checkpoint!, records: await encodeRecords({ ...records, parts }) };
  }

  it('fails and is aborted if a file has another length whose parts are all made again (G12)', async () => {
    await killedAfter(world, 30);
    const { parts } = uploadOfStore();
    // The whole second file and what is next to it.
    for (let number = 2; number <= 14; number += 1) parts.delete(number);
    all.large.body = randomBytes(all.large.body.length + 1);
    const second = world.nextPod();
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'SourceChanged', retriable: true, upload: 'aborted' });
    expect(world.hostile.uploads.size).to.equal(0);
  });

  it('is kept after a failure that another attempt may not have, and continued (G12)', async () => {
    const { archive } = await undisturbed(world);
    await killedAfter(world, 12);
    all.last.status = 500;
    const second = world.nextPod();
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'SourceUnavailable', retriable: true, upload: 'kept' });
    world.over(second, 31);
    delete all.last.status;
    const third = world.nextPod();
    const { result } = await finished(third);
    expect(result?.resumes).to.equal(2);
    expect(world.uploadOf(third)).to.include({ owner: 'pod-2' });
    expect(world.archive?.equals(archive)).to.equal(true);
  });

  it('is kept if a source cannot be asked now (G12)', async () => {
    await killedAfter(world, 12);
    for (const content of Object.values(all)) content.status = 500;
    const second = world.nextPod();
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'SourceUnavailable', retriable: true, upload: 'kept' });
    expect(world.uploadOf(second)).to.equal(undefined);
    expect(world.hostile.uploads.size).to.equal(1);
  });

  it('replaces no object that appeared between two pods, if the job must not (G12)', async () => {
    world.task = { ...world.task, onConflict: 'fail' };
    await killedAfter(world, 12);
    const foreign = Buffer.from('of somebody else');
    world.hostile.objects.set(world.task.key, { body: foreign, metadata: {}, etag: '"foreign"' });
    const { failure } = await world.nextPod().run();
    expect(failure).to.include({ code: 'ObjectExists', retriable: false });
    expect(world.archive?.equals(foreign)).to.equal(true);
    expect(world.hostile.uploads.size).to.equal(0);
  });

  it('is left to recovery, by its name, if a pod that does not continue it cannot abort it now (G12, H8)', async () => {
    await killedAfter(world, 12);
    const old = world.inherits?.uploadId;
    world.checkpoint = undefined;
    Object.assign(world.settings, { storeRetryLimitMs: 200 });
    world.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'response', status: 503, code: 'SlowDown' } : undefined;
    const second = world.nextPod();
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'StoreUnavailable', retriable: true });
    expect(second.steps).to.not.include('createUpload before');
    expect(world.uploadOf(second)).to.include({ uploadId: old, state: 'discarded' });
  });

  it('does not keep a pod from its archive that must not abort it (G12)', async () => {
    await killedAfter(world, 12);
    world.checkpoint = undefined;
    world.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
    const second = world.nextPod();
    await finished(second);
    expect(world.hostile.uploads.size).to.equal(1);
  });

  it('is discarded by a pod that its checkpoint does not name (G12)', async () => {
    await killedAfter(world, 12);
    const second = world.nextPod();
    second.onStep = (step) => {
      if (step === 'checkpoint read') world.active = 'pod-1';
    };
    const { result } = await finished(second);
    expect(result?.resumes).to.equal(undefined);
    expect(world.uploadOf(second)).to.include({ refusal: 'NoCheckpoint' });
    expect(second.steps.indexOf('status discarded after')).to.be.within(
      0,
      second.steps.indexOf('abortUpload before'),
    );
  });

  it('is aborted after a failure that every attempt would have (G12)', async () => {
    await killedAfter(world, 12);
    all.last.status = 404;
    const second = world.nextPod();
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'SourceNotFound', retriable: false, upload: 'aborted' });
    expect(world.hostile.uploads.size).to.equal(0);
    // A late abort must not reach an upload that another pod continues.
    const [discarded, aborted] = ['status discarded after', 'abortUpload before'].map((step) =>
      second.steps.indexOf(step),
    );
    expect(discarded).to.be.within(0, aborted ?? -1);
  });

  it('is aborted if a file in it differs from what was stated for it (G12)', async () => {
    const stated = { path: '/large', crc32: '00000000' };
    await using other = await ResumeWorld.start(optionsOf(all, { files: ['/first', stated, '/last'] }));
    const pod = other.nextPod();
    pod.onStep = async (step) => {
      const parts = pod.steps.filter((one) => one === 'uploadPart after').length;
      if (step === 'uploadPart before' && parts > 4) await until('a checkpoint', () => other.checkpoint);
    };
    const { failure } = await pod.run();
    expect(failure).to.include({ code: 'SourceMismatch', upload: 'aborted' });
    expect(pod.steps).to.include('status discarded after');
  });

  it('is not aborted by a pod that could not record that nobody continues it (G12)', async () => {
    await killedAfter(world, 12);
    all.last.status = 404;
    const second = world.nextPod();
    second.onStep = (step) => {
      if (step === 'status discarded before') throw new Error('the API server does not respond');
    };
    const { failure } = await second.run();
    expect(failure).to.include({ code: 'SourceNotFound', retriable: false });
    expect(failure?.upload).to.equal(undefined);
    expect(second.steps.filter((step) => step.startsWith('abort'))).to.deep.equal([]);
    expect(world.hostile.uploads.size).to.equal(1);
  });

  it('is neither aborted nor written by a pod that is no longer active (G12)', async () => {
    const first = world.nextPod();
    first.onStep = async (step) => {
      if (step === 'uploadPart before' && world.checkpoint)
        await until('another pod to be active', () => world.active === 'pod-2');
      if (world.uploadOf(first)?.checkpoint === undefined) return;
      world.active = 'pod-2';
      world.server.respond = () => ({ status: 403, message: `[${POLICY_MARKS.notActive}]` });
    };
    const { failure } = await first.run();
    expect(failure).to.include({ code: 'Superseded' });
    expect(failure?.upload).to.equal(undefined);
    expect(world.hostile.uploads.size).to.equal(1);
    expect(first.steps.filter((step) => step.startsWith('abort'))).to.deep.equal([]);
  });
});
