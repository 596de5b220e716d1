/** Sources of which a part is in the archive. */
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import type { ListedFile } from '#crds/zip-job.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent } from '#runtime/egress/guarded-agent.ts';
import { createLogger } from '#runtime/log/log.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import type { BoundaryProbe } from '#zipper-image/resume/resolve.ts';
import type { EntryRecord, FileRecord } from '#zipper-image/resume/types.ts';
import { createBoundaryProbe } from '#zipper-image/sources/boundary-probe.ts';
import { failureOf } from './source-harness.ts';

const SIZE = 50_000;
const CONTENT = generatedBytes(SIZE, 7);

function recordOf(change: Partial<EntryRecord> = {}, validator?: string): FileRecord {
  const sizes = { bytes: SIZE, size: SIZE, compressedSize: SIZE };
  const entry: EntryRecord = { form: 'whole', method: 0, ...sizes, time: 0, crc: crc32(CONTENT), ...change };
  return { entry, lengthUnverified: false, contentEncoded: false, ...(validator && { validator }) };
}

/** Sends the range of this version if the condition is its ETag. */
function version(etag: string, body: Buffer): OriginRoute {
  return (_request, response, { headers }) => {
    if (headers['if-range'] !== etag) {
      response.writeHead(200, { etag, 'content-length': body.length }).end(body);
      return;
    }
    const range = `bytes 0-0/${body.length}`;
    response.writeHead(206, { etag, 'content-length': 1, 'content-range': range }).end(body.subarray(0, 1));
  };
}

describe('createBoundaryProbe', () => {
  let origin: FileOrigin;
  beforeEach(async () => {
    const routes = {
      '/same': version('"v1"', CONTENT),
      '/changed': version('"v2"', generatedBytes(SIZE, 8)),
      '/resized': version('"v2"', generatedBytes(SIZE + 1, 7)),
    };
    origin = await startFileOrigin({ routes });
  });
  afterEach(() => origin[Symbol.asyncDispose]());

  async function ask<T>(
    file: string | ListedFile,
    question: (probe: BoundaryProbe) => Promise<T>,
    reportFailures = false,
  ): Promise<T> {
    const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [] });
    const agent = createGuardedAgent(policy, { connections: 4, connectTimeoutMs: 1000 });
    const probe = createBoundaryProbe({
      files: [typeof file === 'string' ? { url: origin.url(file), filename: 'a' } : file],
      agent,
      policy,
      settings: { ...ZIPPER_DEFAULTS, sourceRetryBaseMs: 1, sourceRetryMaxMs: 2, sourceRetryLimitMs: 0 },
      log: createLogger('test', { level: 'silent' }),
      signal: new AbortController().signal,
      reportFailures,
    });
    try {
      return await question(probe);
    } finally {
      await agent.destroy();
    }
  }

  it('fetches a body again that has the recorded CRC (G12)', async () => {
    const body = await ask(`/gen/${SIZE}/7`, (probe) => probe.repeat(0, recordOf()));
    expect(Buffer.from(body as Uint8Array).equals(CONTENT)).to.equal(true);
    const inline = { url: 'data:,inline', filename: 'a' };
    const record = recordOf({ size: 6, crc: crc32('inline') });
    expect(Buffer.from((await ask(inline, (probe) => probe.repeat(0, record))) as Uint8Array)).to.deep.equal(
      Buffer.from('inline'),
    );
    const empty = recordOf({ size: 0, crc: 0 });
    expect(await ask('/gen/0/1', (probe) => probe.repeat(0, empty))).to.have.length(0);
  });

  for (const [path, reply] of [
    [`/gen/${SIZE}/8`, 'changed'],
    [`/gen/${SIZE - 1}/7`, 'resized'],
    [`/gen/${SIZE + 1}/7`, 'resized'],
    ['/gen/3000000/7', 'resized'],
    [`/chunked/${SIZE + 1}/7/1000`, 'resized'],
    [`/chunked/${SIZE - 1}/7/1000`, 'resized'],
  ] as const)
    it(`says of a body that is fetched again that it is ${reply} (${path}, G12)`, async () => {
      expect(await ask(path, (probe) => probe.repeat(0, recordOf()))).to.equal(reply);
    });

  it('asks for one byte of the recorded version (G12)', async () => {
    const record = recordOf({ form: 'placed' }, '"v1"');
    expect(await ask('/same', (probe) => probe.confirm(0, record))).to.equal('same');
    expect(origin.requests.map(({ headers }) => headers['range'])).to.deep.equal(['bytes=0-0']);
  });

  for (const [path, reply] of [
    ['/changed', 'changed'],
    ['/resized', 'resized'],
    [`/gen/${SIZE}/7`, 'changed'],
    [`/gen/${SIZE + 1}/7`, 'resized'],
    [`/chunked/${SIZE}/7/1000`, 'resized'],
  ] as const)
    it(`says of a source without a range of that version that it is ${reply} (${path}, G12)`, async () => {
      const record = recordOf({ form: 'placed' }, '"v1"');
      expect(await ask(path, (probe) => probe.confirm(0, record))).to.equal(reply);
    });

  it('fails if the source cannot be asked, unless its file may be left out (G12)', async () => {
    for (const record of [recordOf(), recordOf({ form: 'placed' }, '"v1"')]) {
      function question(probe: BoundaryProbe): Promise<unknown> {
        return record.validator === undefined ? probe.repeat(0, record) : probe.confirm(0, record);
      }
      expect(await failureOf(ask('/status/503', question))).to.include({ retryable: true });
      expect(await failureOf(ask('/status/404', question))).to.include({ retryable: false });
      expect(await ask('/status/404', question, true)).to.equal('resized');
    }
  });
});
