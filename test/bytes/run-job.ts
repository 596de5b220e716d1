/** Makes the archive of a generated job, from an origin with the faults of the job, in memory. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { manifestFiles } from '#crds/manifest-files.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { KeptParts } from '#test/support/archives/in-order-sink.ts';
import { generatedPart } from '#test/support/builders/generated-bytes.ts';
import { type AskedRange, askedRange } from '#test/support/servers/asked-range.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import type { Engine } from './engine.ts';
import type { GeneratedFile, GeneratedJob } from './generate-job.ts';

const MODIFIED = 'Sat, 03 Feb 2001 04:05:06 GMT';
const TEXT = Buffer.from('the quick brown fox jumps over the lazy dog; '.repeat(2000));

/** Pieces of the file from this position on; read-only. */
function* piecesOf({ bytes, seed, isText, chunkBytes }: GeneratedFile, from: number, to: number) {
  if (!isText) {
    yield* generatedPart({ bytes, seed, from, to, chunkBytes });
    return;
  }
  for (let at = from; at < to; ) {
    const start = (at + seed) % TEXT.length;
    const piece = TEXT.subarray(start, Math.min(TEXT.length, start + chunkBytes, start + to - at));
    at += piece.length;
    yield piece;
  }
}

async function* pacedPieces(file: GeneratedFile, from: number, to: number): AsyncGenerator<Buffer> {
  for (const piece of piecesOf(file, from, to)) {
    yield piece;
    if (file.pauseMs > 0) await delay(file.pauseMs);
  }
}

interface Reply {
  readonly status: number;
  readonly from: number;
  readonly to: number;
  readonly shift: number;
  readonly etag: string;
  readonly cutAfter: number;
}

const PARTS: Readonly<Record<GeneratedFile['ranges'], (part: Reply, wasCut: number) => Partial<Reply>>> = {
  right: () => ({}),
  refused: () => ({ status: 416 }),
  ignored: () => ({ status: 200, from: 0 }),
  shifted: () => ({ shift: 1 }),
  'another version': () => ({ etag: '"another"' }),
  cut: ({ from, to }, wasCut) => ({ cutAfter: wasCut % 2 === 0 ? Math.floor((to - from) / 2) : Infinity }),
};

function replyOf(file: GeneratedFile, range: AskedRange | undefined, wasCut: number): Reply {
  const whole = {
    status: 200,
    from: 0,
    to: file.bytes,
    shift: 0,
    etag: `"${file.seed}"`,
    cutAfter: Infinity,
  };
  if (!range) return wasCut < file.cuts ? { ...whole, cutAfter: file.cutAfter } : whole;
  const part = { ...whole, ...range, status: 206 };
  return { ...part, ...PARTS[file.ranges](part, wasCut) };
}

function headersOf(file: GeneratedFile, reply: Reply): Record<string, string | number> {
  const { status, from, to, shift, etag } = reply;
  const range = status === 206 && `bytes ${from + shift}-${to - 1 + shift}/${file.bytes}`;
  return {
    ...(file.validator === 'etag' && { etag }),
    ...(file.validator !== 'none' && { 'last-modified': MODIFIED }),
    ...((file.declaresLength || status === 206) && { 'content-length': to - from }),
    ...(range !== false && { 'content-range': range }),
  };
}

function routeOf(file: GeneratedFile): OriginRoute {
  let cut = 0;
  let away = file.away;
  return async ({ signal }, response: ServerResponse, incoming: IncomingMessage) => {
    if (file.isMissing || away > 0) {
      away -= 1;
      response.writeHead(file.isMissing ? 404 : 503).end();
      return;
    }
    const reply = replyOf(file, askedRange(incoming, file.bytes), cut);
    response.writeHead(reply.status, headersOf(file, reply));
    if (reply.status === 416) return void response.end();
    response.flushHeaders();
    const { from, cutAfter } = reply;
    const to = Math.min(reply.to, from + cutAfter);
    await send(response, pacedPieces(file, from, to), signal);
    if (to < reply.to) {
      cut += 1;
      response.socket?.end(() => response.socket?.destroy());
      return;
    }
    response.end();
  };
}

function taskOf(job: GeneratedJob): ArchiveTask {
  return {
    contractVersion: 1,
    mode: 'archive',
    bucket: { service: 's3', name: 'bucket' },
    namespace: 'shop',
    zipJob: 'zip-1',
    zipJobUid: 'uid-1',
    key: 'some/archive.zip',
    onConflict: 'replace',
    defaultModificationTime: '2026-01-02T03:04:06Z',
    files: { from: 'inline', count: job.files.length },
    startDeadlineSeconds: 5,
    activeDeadlineSeconds: 600,
    ...job.task,
  };
}

function createParts(engine: Engine, job: GeneratedJob) {
  const parts = new KeptParts();
  const writer = engine.createPartWriter({
    ...job,
    checksum: job.md5 ? 'md5' : 'crc32',
    send: async ({ number, body, digests }) => {
      const sum = digests.kind === 'crc32' ? crc32(body) : createHash('md5').update(body).digest('hex');
      const given = digests.kind === 'crc32' ? digests.crc32 : digests.md5.toString('hex');
      if (sum !== given) throw new Error(`part ${number} has another checksum than its bytes`);
      parts.add({ number, body });
      await delay(number % 3);
    },
  });
  return {
    writer,
    bytes: () => parts.bytes,
  };
}

export interface MadeArchive {
  readonly bytes: Buffer;
  /** Requests with Range. */
  readonly ranges: number;
}

/** @throws the error of the job */
export async function runJob(engine: Engine, job: GeneratedJob): Promise<MadeArchive> {
  const task = taskOf(job);
  const routes = Object.fromEntries(job.files.map((file, index) => [`/${index}`, routeOf(file)]));
  await using origin = await startFileOrigin({ routes });
  const policy = engine.createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
  const settings = {
    ...engine.ZIPPER_DEFAULTS,
    sourceRetryBaseMs: 1,
    sourceRetryMaxMs: 5,
    sourceConcurrency: job.concurrency,
    sourceRangedBytes: job.rangedBytes,
    sourceReadersTickMs: 1,
  };
  const files = job.files.map(({ filename }, index) => ({ url: origin.url(`/${index}`), filename }));
  const agent = engine.createGuardedAgent(policy, {
    connections: settings.sourcePerHostConnections,
    connectTimeoutMs: settings.sourceConnectTimeoutMs,
  });
  const cancel = new AbortController();
  const { signal } = cancel;
  const log = engine.createLogger('bytes', { level: 'silent' });
  const sources = engine.createSourceReader({
    files,
    agent,
    policy,
    settings,
    log,
    signal,
    reportFailures: task.onSourceError !== 'Fail',
    sequential: task.sequential === true,
  });
  const { writer, bytes } = createParts(engine, job);
  const archive = engine.createArchive({
    sink: writer,
    compression: task.compression,
    sha256: manifestFiles(task).length > 0,
    sliceBytes: job.sliceBytes,
  });
  const { key, manifestFormat, manifestEntry } = task;
  const names = engine.planEntryNames(files, {
    key,
    portableNames: 'keep',
    ...defined({ manifestFormat, manifestEntry }),
  });
  try {
    await engine.writeEntries({
      task,
      names,
      archive,
      sources,
      progress: { startFile: () => undefined, finishFile: () => undefined },
      log,
      assertFits: () => undefined,
      signal,
      onFailure: (error) => cancel.abort(error),
    });
    await archive.finish();
    await writer.finish();
    const ranges = origin.requests.filter(({ headers }) => headers['range'] !== undefined).length;
    return { bytes: bytes(), ranges };
  } finally {
    await sources[Symbol.asyncDispose]();
    await agent.destroy();
  }
}
