/** Makes the archive of a generated job, from an origin with the faults of the job, in memory. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { manifestFiles } from '#crds/manifest-files.ts';
import type { ListedFile } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import { defined } from '#runtime/collections/optional.ts';
import { equalParts } from '#test/support/builders/equal-parts.ts';
import { generatedPart } from '#test/support/builders/generated-bytes.ts';
import { type AskedRange, askedRange } from '#test/support/servers/asked-range.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type OriginRoute, send } from '#test/support/servers/origin-request.ts';
import type { SourceEntry } from '#zipper-image/sources/types.ts';
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

/** Every second time, half of it. */
function halved({ from, to }: Reply, wasCut: number): Partial<Reply> {
  return { cutAfter: wasCut % 2 === 0 ? Math.floor((to - from) / 2) : Infinity };
}

const PARTS: Readonly<Record<GeneratedFile['ranges'], (part: Reply, wasCut: number) => Partial<Reply>>> = {
  right: () => ({}),
  refused: () => ({ status: 416 }),
  ignored: () => ({ status: 200, from: 0 }),
  shifted: () => ({ shift: 1 }),
  'another version': () => ({ etag: '"another"' }),
  cut: halved,
  stalled: halved,
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
      if (reply.status === 206 && file.ranges === 'stalled') await once(response, 'close');
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

/** What the archive has, without its bytes, which may be more than the memory. */
class DigestedParts {
  readonly #parts: { readonly bytes: number; readonly crc: number; readonly sha256: string }[] = [];

  add(number: number, body: Buffer, crc: number): void {
    const sha256 = createHash('sha256').update(body).digest('hex');
    this.#parts[number - 1] = { bytes: body.length, crc, sha256 };
  }

  get count(): number {
    return this.#parts.length;
  }

  get digest(): string {
    return createHash('sha256').update(JSON.stringify(this.#parts)).digest('hex');
  }
}

/** The blocks of a part are smaller than the part: other checkouts ignore them. */
function partsOf({ partSizeBytes, partsInFlight, blocksPerPart }: GeneratedJob) {
  const blockBytes = Math.ceil(partSizeBytes / blocksPerPart);
  const poolBytes = (partsInFlight + 1) * blocksPerPart * blockBytes;
  return { ...equalParts(partSizeBytes, 1), blockBytes, poolBytes };
}

function createParts(engine: Engine, job: GeneratedJob) {
  const parts = new DigestedParts();
  const writer = engine.createPartWriter({
    ...job,
    ...partsOf(job),
    checksum: job.md5 ? 'md5' : 'crc32',
    send: async ({ number, body: given, digests }) => {
      // In another checkout it may be one buffer.
      const body = Buffer.concat([given].flat());
      const crc = crc32(body);
      const sum = digests.kind === 'crc32' ? crc : createHash('md5').update(body).digest('hex');
      const sent = digests.kind === 'crc32' ? digests.crc32 : digests.md5.toString('hex');
      if (sum !== sent) throw new Error(`part ${number} has another checksum than its bytes`);
      parts.add(number, body, crc);
      await delay(number % 3);
    },
  });
  return { writer, parts };
}

function crcOf(file: GeneratedFile): string {
  let crc = 0;
  for (const piece of piecesOf(file, 0, file.bytes)) crc = crc32(piece, crc);
  return crc.toString(16).padStart(8, '0');
}

function sha256Of(file: GeneratedFile): string {
  const hash = createHash('sha256');
  for (const piece of piecesOf(file, 0, file.bytes)) hash.update(piece);
  return hash.digest('hex');
}

function listedOf(file: GeneratedFile, url: string): ListedFile {
  const { filename, stated, bytes } = file;
  return {
    url,
    filename,
    ...(stated === 'size' && { size: bytes }),
    ...(stated === 'crc32' && { crc32: crcOf(file) }),
    ...(stated === 'sha256' && { sha256: sha256Of(file) }),
  };
}

const ZEROS = Buffer.alloc(65_536);
const ZEROS_NAME = 'zeros';

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
}

/** The entry of zeros, and then those of the sources. */
async function* entriesBehind(
  bytes: number,
  sources: AsyncIterable<SourceEntry>,
): AsyncGenerator<SourceEntry> {
  if (bytes > 0)
    yield {
      index: 0,
      filename: ZEROS_NAME,
      declaredLength: bytes,
      lastModified: undefined,
      lengthUnverified: false,
      contentEncoded: false,
      body: zeros(bytes),
      small: undefined,
    };
  for await (const entry of sources) yield bytes > 0 ? { ...entry, index: entry.index + 1 } : entry;
}

export interface MadeArchive {
  /** Of the sizes, CRC-32 and SHA-256 of all parts. */
  readonly digest: string;
  readonly parts: number;
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
    sourceIdleTimeoutMs: 1000,
  };
  const inline = Array.from({ length: job.inlineFiles }, (_, index) => ({
    url: `data:,${index}`,
    filename: `inline/${index}`,
  }));
  const files = [...job.files.map((file, index) => listedOf(file, origin.url(`/${index}`))), ...inline];
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
  const { writer, parts } = createParts(engine, job);
  const archive = engine.createArchive({
    sink: writer,
    compression: task.compression,
    sha256: manifestFiles(task).length > 0,
    sliceBytes: job.sliceBytes,
  });
  const { key, manifestFormat, manifestEntry } = task;
  const listed = job.zerosBefore > 0 ? [{ url: 'data:,', filename: ZEROS_NAME }, ...files] : files;
  const names = engine.planEntryNames(listed, {
    key,
    portableNames: 'keep',
    ...defined({ manifestFormat, manifestEntry }),
  });
  try {
    await engine.writeEntries({
      task,
      names,
      archive,
      sources: {
        ...sources,
        known: sources.known,
        entries: () => entriesBehind(job.zerosBefore, sources.entries()),
      },
      progress: { startFile: () => undefined, finishFile: () => undefined },
      log,
      assertFits: () => undefined,
      signal,
      onFailure: (error) => cancel.abort(error),
    });
    await archive.finish();
    await writer.finish();
    const ranges = origin.requests.filter(({ headers }) => headers['range'] !== undefined).length;
    return { digest: parts.digest, parts: parts.count, ranges };
  } finally {
    await sources[Symbol.asyncDispose]();
    await agent.destroy();
  }
}
