import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { ArchiveTask } from '#crds/zipper-contract.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedHttpAgents } from '#runtime/egress/http-agents.ts';
import { AppError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log.ts';
import { toFailure } from '../../../zipper-image/failure.ts';
import { providerOf } from '../../../zipper-image/providers.ts';
import type { SourceEntry, SourceReader } from '../../../zipper-image/sources/types.ts';
import { createStatusApi, type StatusApi } from '../../../zipper-image/status-api.ts';
import { createStore } from '../../../zipper-image/store.ts';
import { type ZipToS3Deps, zipToS3 } from '../../../zipper-image/zip-to-s3.ts';
import { type HostileStore, startHostileStore } from '../../support/hostile-store.ts';
import { contentOf, readZip } from '../../support/read-zip.ts';
import { type StatusServer, startStatusServer } from '../../support/status-server.ts';

const log = createLogger('test', { level: 'silent' });
const PART = 256 * 1024;
const settings = {
  partSizeBytes: PART,
  partsInFlight: 2,
  maxArchiveBytes: 2 ** 40,
  storeAttempts: 3,
  storeThrottledAttempts: 6,
  storeRetryBaseMs: 1,
  storeRetryMaxMs: 2,
  statusChargeIntervalMs: 10,
  statusProgressIntervalMs: 20,
  statusWriteLimitMs: 300,
  statusRetryBaseMs: 1,
  statusRetryMaxMs: 5,
};
const task: ArchiveTask = {
  contractVersion: 1,
  mode: 'archive',
  bucket: { service: 's3', name: 'bucket' },
  namespace: 'shop',
  zipJob: 'zip-1',
  zipJobUid: 'uid-1',
  key: 'a.zip',
  compression: 'auto',
  onConflict: 'replace',
  defaultModificationTime: '2026-01-02T03:04:06Z',
  files: { from: 'inline', count: 3 },
  startDeadlineSeconds: 5,
};
const bodies = [randomBytes(2_000_000), Buffer.from('small'), randomBytes(1_500_000)];

async function* inChunks(body: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += 65_536) yield body.subarray(at, at + 65_536);
}

const entryOf = (body: Buffer, index: number): SourceEntry => ({
  index,
  filename: `file-${index}`,
  declaredLength: body.length,
  lastModified: undefined,
  lengthUnverified: index === 2,
  contentEncoded: false,
  body: inChunks(body),
  small: body.length <= 1024 ** 2 ? body : undefined,
});

type Entries = (signal: AbortSignal) => AsyncIterable<SourceEntry>;
const allEntries: Entries = async function* () {
  for (const [index, body] of bodies.entries()) yield entryOf(body, index);
};

describe('zipToS3', () => {
  let hostile: HostileStore;
  let server: StatusServer;
  let api: StatusApi;
  let directory: string;
  let stopping: AbortController;
  let sourcesOpened: number;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-zip-to-s3-'));
    await writeFile(join(directory, 'ca.crt'), '');
    await writeFile(join(directory, 'token'), 'token-1\n');
    hostile = await startHostileStore();
    server = await startStatusServer();
    api = await createStatusApi({
      server: server.url,
      serviceAccountDir: directory,
      target: { namespace: 'shop', name: 'zip-1', uid: 'uid-1' },
      requestTimeoutMs: 500,
    });
    stopping = new AbortController();
    sourcesOpened = 0;
  });
  afterEach(async () => {
    await api.close();
    await server[Symbol.asyncDispose]();
    await hostile[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  const run = async (entries: Entries = allEntries, change: Partial<ZipToS3Deps> = {}) => {
    const bucket = { service: 's3', name: 'bucket', endpoint: hostile.endpoint } as const;
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.0/8'], denyCidrs: [] });
    const store = createStore({
      bucket,
      provider: providerOf(bucket, { allowedHosts: ['127.0.0.1'], allowHttp: true }),
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
      agents: createGuardedHttpAgents(policy, { connections: 4 }),
      connectTimeoutMs: 1000,
      idleTimeoutMs: 2000,
    });
    try {
      return await zipToS3({
        task,
        podUid: 'pod-1',
        settings,
        log,
        statusApi: api,
        stopping: stopping.signal,
        toFailure,
        openStore: async () => store,
        readFiles: async () =>
          bodies.map((_, index) => ({ url: 'http://source/', filename: `file-${index}` })),
        openSources: (_files, signal): SourceReader & AsyncDisposable => {
          sourcesOpened += 1;
          return {
            entries: () => entries(signal),
            bytesRead: 42,
            retries: 7,
            [Symbol.asyncDispose]: async () => {},
          };
        },
        ...change,
      });
    } finally {
      store.close();
    }
  };
  const failing = (...args: Parameters<typeof run>): Promise<AppError> =>
    run(...args).then(
      () => {
        throw new Error('it did not fail');
      },
      (error: AppError) => error,
    );
  /** Store requests and status writes by what they say. */
  const uploadStates = () => server.writes.map(({ status }) => status.upload?.state ?? 'none');
  const leftovers = () => [hostile.uploads.size, hostile.objects.size];

  it('writes the archive, tells each step before the next, and its result last', async () => {
    const atRequest: string[] = [];
    hostile.fault = ({ operation }) => {
      atRequest.push(`${operation}:${uploadStates().at(-1) ?? 'not in charge'}`);
      return undefined;
    };
    const result = await run();
    expect(atRequest[0]).to.equal('create:none');
    expect(new Set(atRequest.slice(1, -1))).to.deep.equal(new Set(['part:open']));
    expect(atRequest.at(-1)).to.equal('complete:committing');
    const archive = hostile.objects.get('a.zip')?.body;
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
      retries: 7,
      contractVersion: 1,
    });
    const last = server.writes.at(-1)!.status;
    expect(last.result).to.deep.equal(result);
    expect(last.upload).to.include({ state: 'committing', parts: 14, partSize: PART });
    expect(last.progress).to.include({
      podUid: 'pod-1',
      display: '3/3',
      filesDone: 3,
      bytesUploaded: archive!.length,
    });
  });

  it('writes as itself, to its own ZipJob, with the token that is in the file then (P3)', async () => {
    server.answer = ({ headers }) => {
      void writeFile(join(directory, 'token'), 'token-2');
      return headers.authorization === 'Bearer token-1' ? { status: 401 } : undefined;
    };
    await run();
    const [first, second] = server.writes;
    expect(first!.url).to.equal(
      '/apis/zipjobs.dev/v1alpha1/namespaces/shop/zipjobs/zip-1/status?fieldManager=zipjobs-zipper&force=true',
    );
    expect(first!.headers).to.include({ 'content-type': 'application/apply-patch+yaml' });
    expect(first!.metadata).to.deep.equal({ namespace: 'shop', name: 'zip-1', uid: 'uid-1' });
    expect(second!.headers).to.include({ authorization: 'Bearer token-2' });
  });

  it('sends nothing to the store and the sources until it is in charge', async () => {
    server.answer = () =>
      server.writes.length < 4 && hostile.requests.length + sourcesOpened === 0
        ? { status: 403, message: 'not in charge' }
        : undefined;
    await run();
    expect(server.writes.length).to.be.at.least(7);
  });

  it('gives up when it is not put in charge in time', async () => {
    server.answer = () => ({ status: 403, message: 'not in charge' });
    const error = await failing(allEntries, { task: { ...task, startDeadlineSeconds: 0.05 } });
    expect(error).to.include({ code: 'NotInCharge' });
    expect(hostile.requests.length).to.equal(0);
  });

  it('takes a refusal that a policy words as invalid for what it is', async () => {
    server.answer = () => ({
      status: 422,
      message:
        "zipjobs.dev \"zip-1\" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'x' denied request: no",
    });
    expect(await failing(allEntries, { task: { ...task, startDeadlineSeconds: 0 } })).to.include({
      code: 'NotInCharge',
    });
  });

  for (const state of ['open', 'committing'] as const)
    it(`leaves nothing when another pod is in charge before ${state} (F12)`, async () => {
      server.answer = ({ status }) => (status.upload?.state === state ? { status: 403 } : undefined);
      expect(await failing()).to.include({ code: 'Superseded' });
      expect(leftovers()).to.deep.equal([0, 0]);
      expect(server.writes.some(({ status }) => status.failure !== undefined)).to.equal(false);
      expect(hostile.requests.some(({ operation }) => operation === 'complete')).to.equal(false);
    });

  it('stops by the answer to a mere progress', async () => {
    const superseded = Promise.withResolvers<void>();
    server.answer = ({ status }) => {
      if (status.upload === undefined || (status.progress?.filesDone ?? 0) === 0) return undefined;
      superseded.resolve();
      return { status: 403 };
    };
    const stuck: Entries = async function* (signal) {
      yield entryOf(bodies[0]!, 0);
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    expect(await failing(stuck)).to.include({ code: 'Superseded' });
    expect(leftovers()).to.deep.equal([0, 0]);
  });

  it('goes on while progress cannot be written, and waits with what others rely on (F5)', async () => {
    let failed = 0;
    server.answer = ({ status }) => {
      if (status.upload === undefined || failed >= 5) return undefined;
      failed += 1;
      return { status: failed % 2 === 0 ? 429 : 500, message: 'away' };
    };
    await run();
    expect(hostile.objects.size).to.equal(1);
  });

  it('aborts when the API server stays away before Complete', async () => {
    server.answer = ({ status }) => (status.upload?.state === 'committing' ? { status: 503 } : undefined);
    expect(await failing()).to.include({ code: 'ApiServerUnavailable' });
    expect(leftovers()).to.deep.equal([0, 0]);
  });

  it('ends well when only the result cannot be written: the archive is there', async () => {
    server.answer = ({ status }) => (status.result ? { status: 503 } : undefined);
    expect((await run()).entries).to.equal(3);
    expect(hostile.objects.size).to.equal(1);
  });

  it('leaves nothing behind after a bad source, and says which', async () => {
    const broken: Entries = async function* () {
      yield entryOf(bodies[0]!, 0);
      throw new AppError('file 1 (https://user:pw@host/x?sig=abc): the source answered 404', {
        code: 'SourceNotFound',
        retryable: false,
        details: { fileIndex: 1, httpStatus: 404 },
      });
    };
    expect(await failing(broken)).to.include({ code: 'SourceNotFound' });
    expect(leftovers()).to.deep.equal([0, 0]);
    expect(server.writes.at(-1)!.status.failure).to.deep.equal({
      code: 'SourceNotFound',
      message: 'file 1: the source answered 404',
      fileIndex: 1,
      httpStatus: 404,
      retriable: false,
    });
  });

  it('leaves nothing behind after a source that breaks in the middle of its body', async () => {
    const broken: Entries = async function* () {
      const cut = async function* (): AsyncGenerator<Uint8Array> {
        yield bodies[0]!.subarray(0, 900_000);
        throw new AppError('file 0: cut', {
          code: 'SourceTruncated',
          retryable: true,
          details: { fileIndex: 0 },
        });
      };
      yield { ...entryOf(bodies[0]!, 0), body: cut() };
    };
    expect(await failing(broken)).to.include({ code: 'SourceTruncated' });
    expect(leftovers()).to.deep.equal([0, 0]);
  });

  it('asks no source for anything when the bucket cannot be used (U17)', async () => {
    hostile.fault = () => ({ kind: 'answer', status: 404, code: 'NoSuchBucket' });
    expect(await failing()).to.include({ code: 'BucketNotFound' });
    expect(sourcesOpened).to.equal(0);
    expect(server.writes.at(-1)!.status.failure).to.include({ code: 'BucketNotFound', retriable: false });
  });

  it('stops waiting for a source as soon as a part fails', async () => {
    hostile.fault = ({ operation }) =>
      operation === 'part' ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined;
    const stuck: Entries = async function* (signal) {
      yield entryOf(bodies[0]!, 0);
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      );
    };
    expect(await failing(stuck)).to.include({ code: 'BucketAccessDenied' });
    expect(leftovers()).to.deep.equal([0, 0]);
  });

  it('aborts its upload when it is told to stop (F8)', async () => {
    const stuck: Entries = async function* (signal) {
      yield entryOf(bodies[0]!, 0);
      stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      await new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason as Error);
      });
    };
    expect(toFailure(await failing(stuck)).code).to.equal('Terminated');
    expect(leftovers()).to.deep.equal([0, 0]);
    expect(server.writes.at(-1)!.status.failure).to.include({ code: 'Terminated', retriable: true });
  });

  it('finishes what it has begun to commit when it is told to stop', async () => {
    hostile.fault = ({ operation }) => {
      if (operation === 'complete') stopping.abort(new DOMException('received SIGTERM', 'AbortError'));
      return undefined;
    };
    await run();
    expect(server.writes.at(-1)!.status.result?.entries).to.equal(3);
  });

  it('refuses an archive that cannot fit before it reads the file (U3)', async () => {
    const error = await failing(allEntries, { settings: { ...settings, maxArchiveBytes: 1_000_000 } });
    expect(error).to.include({ code: 'ArchiveTooLarge' });
    expect(hostile.requests.filter(({ operation }) => operation === 'part').length).to.equal(0);
    expect(leftovers()).to.deep.equal([0, 0]);
  });
});
