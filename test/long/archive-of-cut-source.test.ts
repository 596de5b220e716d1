/** A source whose connection breaks 20 times, through the whole system: one archive with the right bytes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import yauzl from 'yauzl';
import { generatedChunks } from '#test/support/builders/generated-bytes.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { sized } from '#test/support/sized.ts';
import { startFlow } from '#test/support/worlds/flow.ts';

const BYTES = sized(128, 1024) * 1024 * 1024;
const CUTS = 20;

function crcOf(pieces: Iterable<Uint8Array>): number {
  let crc = 0;
  for (const piece of pieces) crc = crc32(piece, crc);
  return crc;
}

/** CRC-32 of the content of the only entry, as an independent reader unpacks it. */
async function crcOfEntry(archive: string): Promise<number> {
  const zip = await yauzl.openPromise(archive, { lazyEntries: true });
  let crc = 0;
  for await (const entry of zip.eachEntry())
    for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>)
      crc = crc32(chunk, crc);
  return crc;
}

describe('an archive of a source that disconnects 20 times', function () {
  this.timeout(300_000);

  it('contains the right bytes after one attempt, with almost no byte fetched twice (D6, H2)', async () => {
    await using flow = await startFlow('cut-source');
    await using cleanup = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'zipjobs-cut-'));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    const uuid = await postJob(flow.baseUrl, flow.project.token, {
      bucket_name: flow.project.bucketName,
      key: 'cut.zip',
      urls: [{ url: flow.origin.url(`/cut/${CUTS}/${BYTES}/1`), filename: 'cut.bin' }],
    });
    const { status } = await flow.project.untilPhase(uuid, ['Succeeded', 'Failed'], 200_000);
    expect(status?.phase, status?.message).to.equal('Succeeded');
    expect(status?.attemptsTotal).to.equal(1);
    // It ignores exact ranges, and the request for one can be among those that are cut.
    expect(status?.result?.retries).to.be.within(CUTS - 1, CUTS);
    expect(status?.progress?.bytesRead).to.be.at.most(BYTES * 1.1);
    const archive = join(folder, 'cut.zip');
    await flow.project.bucket.download('cut.zip', archive);
    expect(await crcOfEntry(archive)).to.equal(crcOf(generatedChunks(BYTES, 1)));
  });
});
