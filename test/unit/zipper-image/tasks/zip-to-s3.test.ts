import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { POLICY_MARKS } from '#crds/policy-marks.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { AppError } from '#runtime/errors.ts';
import { sizeText } from '#runtime/size-text.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';
import { until } from '#test/support/until.ts';
import { planEntryNames } from '#zipper-image/archive/entry-names.ts';
import { TIME_BYTES } from '#zipper-image/archive/planned-bytes.ts';
import { toFailure } from '#zipper-image/status/failure.ts';
import { readStatedSizes } from '#zipper-image/tasks/stated-sizes.ts';
import {
  allEntries,
  bodies,
  type Entries,
  entryOf,
  JobHarness,
  PART,
  settings,
  stuckEntries,
  task,
} from './job-harness.ts';
import { openStore } from './recovery-harness.ts';

async function untilAborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
  );
}

type Change = Partial<ArchiveTask> & {
  readonly partSizeBytes?: number;
  readonly maxArchiveBytes?: number;
};

describe('zipToS3', () => {
  let harness: JobHarness;

  beforeEach(async () => {
    harness = await JobHarness.start();
  });
  afterEach(() => harness[Symbol.asyncDispose]());

  /** The upload states of all status writes. */
  function uploadStates() {
    return harness.server.writes.map(({ status }) => status.upload?.state ?? 'none');
  }

  it('writes the archive, records each step before the next, and writes its result last', async () => {
    const atRequest: string[] = [];
    harness.hostile.fault = ({ operation }) => {
      atRequest.push(`${operation}:${uploadStates().at(-1) ?? 'not active'}`);
      return undefined;
    };
    const result = await harness.run();
    expect(atRequest[0]).to.equal('create:none');
    expect(new Set(atRequest.slice(1, -2))).to.deep.equal(new Set(['part:open']));
    expect(atRequest.slice(-2)).to.deep.equal(['complete:committing', 'head:committing']);
    const archive = harness.hostile.objects.get('a.zip')?.body;
    const { entries } = readZip(archive!);
    expect(entries.map((entry) => contentOf(entry).equals(bodies[entries.indexOf(entry)]!))).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(
      entries.every(({ unixSeconds }) => unixSeconds === Date.parse(task.defaultModificationTime) / 1000),
    ).to.equal(true);
    expect(result).to.deep.include({
      bytes: archive!.length,
      entries: 3,
      lengthUnverified: [2],
      contentEncoded: [1],
      retries: 7,
      contractVersion: 1,
    });
    const last = harness.server.writes.at(-1)!.status;
    expect(last.result).to.deep.equal(result);
    expect(last.upload).to.include({ state: 'committing', parts: 14, partSize: PART });
    expect(last.progress).to.include({
      podUid: 'pod-1',
      display: '3/3',
      filesDone: 3,
      bytesUploaded: archive!.length,
    });
  });

  it('reports the SHA-256 of the archive if the job requests it', async () => {
    const result = await harness.run(allEntries, { task: { ...task, sha256: true } });
    const archive = harness.hostile.objects.get('a.zip')?.body ?? Buffer.alloc(0);
    expect(result.sha256).to.equal(createHash('sha256').update(archive).digest('hex'));
  });

  it('does not touch the upload of its successor if another pod became active meanwhile (F37)', async () => {
    harness.server.shown = { attempts: [{ n: 1, podUid: 'pod-0' }] };
    harness.hostile.fault = ({ operation }) => {
      const initiated = new Date();
      const successor = { key: 'a.zip', metadata: {}, parts: new Map(), initiated, initiator: 'us' };
      if (operation === 'create') harness.hostile.uploads.set('successor', successor);
      return undefined;
    };
    let tries = 0;
    harness.server.respond = ({ status }) => {
      if (status.upload === undefined) return undefined;
      tries += 1;
      return tries < 5 ? { status: 503 } : { status: 403, message: `[${POLICY_MARKS.notActive}]` };
    };
    expect(await harness.failing()).to.include({ code: 'Superseded' });
    expect([...harness.hostile.uploads.keys()]).to.deep.equal(['successor']);
  });

  it('writes progress at most once per interval, and only after a change', async () => {
    const times: number[] = [];
    harness.server.respond = ({ status }) => {
      if (status.upload?.state === 'open') times.push(performance.now());
      return undefined;
    };
    /** Without the first write, which records the upload. */
    function progressTimes(): readonly number[] {
      return times.slice(1);
    }
    const paused: Entries = async function* () {
      for (const [index, body] of bodies.entries()) {
        yield entryOf(body, index);
        if (index < 2) await until('progress to be written', () => progressTimes().length > index);
      }
    };
    const slow = { ...settings, statusProgressIntervalMs: 100 };
    await harness.run(paused, { settings: slow });
    const counts = harness.server.writes.slice(1, -2).map(({ status: { progress } }) => {
      const { filesDone, bytesRead, bytesUploaded } = progress ?? {};
      return JSON.stringify({ filesDone, bytesRead, bytesUploaded });
    });
    expect(new Set(counts).size).to.be.at.least(counts.length - 1);
    const gaps = progressTimes().map((time, index) => time - (progressTimes()[index - 1] ?? 0));
    expect(gaps.length).to.be.at.least(2);
    // A timer may fire a millisecond early.
    expect(Math.min(...gaps)).to.be.at.least(99);
  });

  it('writes to its own ZipJob with its own field manager and the current token (P3)', async () => {
    harness.server.respond = ({ headers }) => {
      void writeFile(join(harness.directory, 'token'), 'token-2');
      return headers['authorization'] === 'Bearer token-1' ? { status: 401 } : undefined;
    };
    await harness.run();
    const [first, second] = harness.server.writes;
    expect(first!.url).to.equal(
      '/apis/zipjobs.dev/v1alpha1/namespaces/shop/zipjobs/zip-1/status?fieldManager=zipjobs-zipper&force=true',
    );
    expect(first!.headers).to.include({ 'content-type': 'application/apply-patch+yaml' });
    expect(first!.metadata).to.deep.equal({ namespace: 'shop', name: 'zip-1', uid: 'uid-1' });
    expect(second!.headers).to.include({ authorization: 'Bearer token-2' });
  });

  it('sends no request to the store and the sources until its pod is active', async () => {
    harness.server.respond = () =>
      harness.server.writes.length < 4 && harness.hostile.requests.length + harness.sourcesOpened === 0
        ? { status: 403, message: `[${POLICY_MARKS.notActive}]` }
        : undefined;
    await harness.run();
    expect(harness.server.writes.length).to.be.at.least(7);
  });

  for (const state of ['open', 'committing'] as const)
    it(`waits for an API server that is away at the write of ${state}, and then continues (F39)`, async () => {
      let tries = 0;
      harness.server.respond = ({ status }) => {
        if (status.upload?.state !== state || tries === 200) return undefined;
        tries += 1;
        return { status: 503 };
      };
      expect((await harness.run()).entries).to.equal(3);
      expect(harness.leftovers).to.deep.equal([0, 1]);
    });

  it('ends at the deadline of the job if the API server stays away before Complete (F39)', async () => {
    harness.server.respond = ({ status }) =>
      status.upload?.state === 'committing' ? { status: 503 } : undefined;
    const error = await harness.failing(allEntries, {
      task: { ...task, activeDeadlineSeconds: 1 },
      lastWriteMs: 500,
    });
    expect(toFailure(error)).to.include({ code: 'Terminated' });
    expect(error.message).to.include('deadline of 1 s');
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('succeeds if only the result cannot be written until the pod is stopped', async () => {
    let tries = 0;
    harness.server.respond = ({ status }) => {
      if (status.result === undefined) return undefined;
      tries += 1;
      if (tries === 100) harness.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      return { status: 503 };
    };
    expect((await harness.run(allEntries, { lastWriteMs: 50 })).entries).to.equal(3);
    expect(tries).to.be.greaterThan(99);
    expect(harness.hostile.objects.size).to.equal(1);
  });

  it('says in its failure that it aborted its upload, although the status says committing (F42)', async () => {
    harness.server.respond = ({ status }) => {
      if (status.upload?.state !== 'committing') return undefined;
      harness.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      return { status: 503 };
    };
    await harness.failing(allEntries, { lastWriteMs: 500 });
    expect(harness.left.end()).to.deep.equal({ upload: 'aborted' });
    expect(harness.server.writes.at(-1)!.status).to.have.nested.property('failure.upload', 'aborted');
    expect(harness.hostile.requests.some(({ operation }) => operation === 'complete')).to.equal(false);
  });

  it('says in its failure that nothing was published if the abort failed (F42)', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'abort' ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
    harness.server.respond = ({ status }) => {
      if (status.upload?.state !== 'committing') return undefined;
      harness.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      return { status: 503 };
    };
    await harness.failing(allEntries, { lastWriteMs: 500 });
    expect(harness.left.end()).to.deep.equal({ upload: 'open' });
  });

  it('leaves no upload after a failed source, and reports the source', async () => {
    const broken: Entries = async function* () {
      yield entryOf(bodies[0]!, 0);
      throw new AppError('file 1 (https://user:pw@host/x?sig=abc): the source responded with 404', {
        code: 'SourceNotFound',
        retryable: false,
        details: { fileIndex: 1, httpStatus: 404 },
      });
    };
    expect(await harness.failing(broken)).to.include({ code: 'SourceNotFound' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
    expect(harness.server.writes.at(-1)!.status.failure).to.deep.equal({
      code: 'SourceNotFound',
      message: 'file 1: the source responded with 404',
      fileIndex: 1,
      httpStatus: 404,
      retriable: false,
      upload: 'aborted',
    });
  });

  it('leaves no upload after a source that fails within its body', async () => {
    const broken: Entries = async function* () {
      async function* cut(): AsyncGenerator<Uint8Array> {
        yield bodies[0]!.subarray(0, 900_000);
        throw new AppError('file 0: cut', {
          code: 'SourceTruncated',
          retryable: true,
          details: { fileIndex: 0 },
        });
      }
      yield { ...entryOf(bodies[0]!, 0), body: cut() };
    };
    expect(await harness.failing(broken)).to.include({ code: 'SourceTruncated' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('fails at once if a later file fails while an earlier one is still read (P108)', async () => {
    const broken: Entries = async function* (signal) {
      async function* stuck(): AsyncGenerator<Uint8Array> {
        yield bodies[0]!.subarray(0, 5000);
        await untilAborted(signal);
      }
      async function* cut(): AsyncGenerator<Uint8Array> {
        yield bodies[2]!.subarray(0, 5000);
        throw new AppError('file 1: cut', { code: 'SourceTruncated', retryable: true });
      }
      // Both have places in the buffers that are there.
      for (const [index, body] of [stuck(), cut()].entries())
        yield { ...entryOf(bodies[index]!, index), declaredLength: 10_000, small: undefined, body };
      await untilAborted(signal);
    };
    expect(await harness.failing(broken)).to.include({ code: 'SourceTruncated', message: 'file 1: cut' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('reports why it stopped, and not that files before it are no longer read (P108)', async () => {
    const tooLarge: Entries = async function* () {
      const ended = Promise.withResolvers<never>();
      async function* stuck(): AsyncGenerator<Uint8Array> {
        yield bodies[0]!.subarray(0, 5000);
        await ended.promise;
      }
      try {
        yield { ...entryOf(bodies[0]!, 0), declaredLength: 10_000, small: undefined, body: stuck() };
        yield { ...entryOf(bodies[2]!, 1), declaredLength: 2 ** 50 };
      } finally {
        ended.reject(new DOMException('reading of the sources ended', 'AbortError'));
      }
    };
    expect(await harness.failing(tooLarge)).to.include({ code: 'ArchiveTooLarge' });
  });

  it('opens no source if the bucket is unusable (U17)', async () => {
    harness.hostile.fault = () => ({ kind: 'response', status: 404, code: 'NoSuchBucket' });
    expect(await harness.failing()).to.include({ code: 'BucketNotFound' });
    expect(harness.sourcesOpened).to.equal(0);
    expect(harness.server.writes.at(-1)!.status.failure).to.include({
      code: 'BucketNotFound',
      retriable: false,
    });
  });

  it('stops waiting for a source if a part fails', async () => {
    harness.hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'response', status: 403, code: 'AccessDenied' } : undefined;
    expect(await harness.failing(stuckEntries)).to.include({ code: 'BucketAccessDenied' });
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });

  it('aborts its upload on a stop signal (F8)', async () => {
    const stuck: Entries = async function* (signal) {
      yield entryOf(bodies[0]!, 0);
      harness.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      await new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason as Error);
      });
    };
    expect(toFailure(await harness.failing(stuck)).code).to.equal('Terminated');
    expect(harness.leftovers).to.deep.equal([0, 0]);
    expect(harness.server.writes.at(-1)!.status.failure).to.include({ code: 'Terminated', retriable: true });
  });

  it('finishes a commit that has started on a stop signal', async () => {
    harness.hostile.fault = ({ operation }) => {
      if (operation === 'complete')
        harness.stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      return undefined;
    };
    await harness.run();
    expect(harness.server.writes.at(-1)!.status.result?.entries).to.equal(3);
  });

  const lengths = bodies.map(({ length }) => length);
  function statedJob(sizes: readonly (number | undefined)[], change: Change = {}) {
    const { partSizeBytes = PART, maxArchiveBytes = 2 ** 40, ...choices } = change;
    return {
      task: { ...task, compression: 'store', ...choices },
      settings: { ...settings, partSizeBytes, maxArchiveBytes },
      readFiles: async () =>
        sizes.map((size, n) => ({ url: 'http://source/', filename: `file-${n}`, ...defined({ size }) })),
    } as const;
  }

  /** R2 requires equal parts. */
  async function runAtR2(job: ReturnType<typeof statedJob>) {
    const store = openStore(harness.hostile, 'r2');
    try {
      return await harness.run(allEntries, { ...job, openStore: async () => store });
    } finally {
      store.close();
    }
  }

  it('knows the exact size of the archive if the size of every file is stated, and refuses one that cannot fit before it requests anything (U3) (SZ2)', async () => {
    const { bytes } = await harness.run(allEntries, statedJob(lengths));
    const opened = harness.server.writes.find(({ status }) => status.upload?.state === 'open');
    expect(opened?.status.progress?.size).to.equal(`0 B of ${sizeText(bytes)}`);
    await harness.run(allEntries, statedJob(lengths, { maxArchiveBytes: bytes }));
    harness.hostile.requests.length = 0;
    for (const [least, has, choices] of [
      [bytes, `${bytes}`, { fixedModificationTime: '2026-01-01T00:00:00Z' }],
      // A source may state a time after 2037, which takes no bytes.
      [bytes - lengths.length * TIME_BYTES, `at least ${bytes - lengths.length * TIME_BYTES}`, {}],
    ] as const) {
      const error = await harness.failing(
        allEntries,
        statedJob(lengths, { ...choices, maxArchiveBytes: least - 1 }),
      );
      expect(error).to.include({ code: 'ArchiveTooLarge', retryable: false });
      expect(error.message)
        .to.contain(`stated sizes of its files it has ${has} bytes`)
        .and.contain('archiveBytes');
    }
    expect([harness.sourcesOpened, harness.hostile.requests.length]).to.deep.equal([2, 0]);
  });

  it('refuses an archive whose stated sizes cannot fit, also if files state none, but not if files may take less (U3)', async () => {
    const least = lengths[0]! + 3 * (30 + 46 + 2 * 'file-0'.length) + 22;
    const sizes = [lengths[0], undefined, undefined];
    const error = await harness.failing(allEntries, statedJob(sizes, { maxArchiveBytes: least - 1 }));
    expect(error).to.include({ code: 'ArchiveTooLarge', retryable: false });
    expect(error.message).to.contain(`it has at least ${least} bytes`);
    expect([harness.sourcesOpened, harness.hostile.requests.length]).to.deep.equal([0, 0]);
    for (const change of [{ compression: 'deflate' }, { onSourceError: 'Skip' }] as const)
      await harness
        .run(allEntries, statedJob(sizes, { maxArchiveBytes: least - 1, ...change }))
        .catch(() => undefined);
    expect(harness.sourcesOpened).to.equal(2);
  });

  for (const manifest of [
    {},
    { manifestEntry: 'm.json' },
    { manifestFormat: 'sha256sum' },
    { manifestFormat: 'bagit' },
  ] as const)
    for (const compression of ['store', 'deflate'] as const)
      it(`makes equal parts as small as an archive of the stated sizes permits: ${compression}, ${JSON.stringify(manifest)} (SZ3)`, async () => {
        const partSizeBytes = 64 * 1024 ** 2;
        const job = statedJob(lengths, { partSizeBytes, compression, ...manifest });
        const { bytes } = await runAtR2(job);
        const { upload } = harness.server.writes.at(-1)!.status;
        expect(upload).to.include({ partSize: 5 * 1024 ** 2, parts: 1 });
        const files = await job.readFiles();
        const names = planEntryNames(files, { key: task.key, portableNames: 'keep', ...manifest });
        const { mostArchiveBytes } = readStatedSizes({ task: job.task, files, names });
        expect(bytes).to.be.at.most(mostArchiveBytes!);
      });

  it('keeps the parts of the task if the size of a file is not stated (SZ3)', async () => {
    const partSizeBytes = 64 * 1024 ** 2;
    await runAtR2(statedJob([1, 2, undefined], { partSizeBytes }));
    expect(harness.server.writes.at(-1)!.status.upload).to.include({ partSize: partSizeBytes });
  });

  it('reports the stated size of all files as the total, unless files may be left out (U3)', async () => {
    for (const [onSourceError, bytesTotal] of [
      ['Fail', 3_000_015],
      ['Skip', undefined],
      ['Placeholder', undefined],
    ] as const) {
      await harness.run(allEntries, {
        task: { ...task, onSourceError },
        readFiles: async () =>
          bodies.map((_, index) => ({ url: 'http://source/', filename: `file-${index}`, size: 1_000_005 })),
      });
      const [active] = harness.server.writes.splice(0).filter(({ status }) => status.upload);
      expect(active?.status.progress?.bytesTotal, onSourceError).to.equal(bytesTotal);
    }
  });

  it('refuses an archive that cannot fit before it reads the file (U3)', async () => {
    const error = await harness.failing(allEntries, {
      settings: { ...settings, maxArchiveBytes: 1_000_000 },
    });
    expect(error).to.include({ code: 'ArchiveTooLarge' });
    expect(harness.hostile.requests.filter(({ operation }) => operation === 'part').length).to.equal(0);
    expect(harness.leftovers).to.deep.equal([0, 0]);
  });
});
