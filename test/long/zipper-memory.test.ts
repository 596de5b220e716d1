/** The peak resident memory of a zipper as counted by the kernel, for all kinds of archives and sources. */
import { expect } from 'chai';
import { zipperMemoryBytes } from '#controller/zip-job/policies/archive-size.ts';
import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import { openOrigin } from '#test/bench/bench-world.ts';
import { measure } from '#test/bench/measured-run.ts';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type DiscardingStore, startDiscardingStore } from '#test/support/servers/discarding-store.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { startTlsFront } from '#test/support/servers/tls-front.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const BAR_BYTES = 256 * MIB;
/** Less, because a part that TLS encrypts in one piece needs its size again. */
const HTTPS_BAR_BYTES = 224 * MIB;
/** Of the longest archive: many times what the zipper may use, so memory that grows with the archive exceeds the bar. */
const LONGEST_GIB = sized(2, 20);
/** Twice the bar: enough for what a zipper allocates once, such as its buffers. */
const SHORT_MIB = sized(512, 1024);
const MS_PER_GIB = 180_000;
/** While the store accepts nothing, either the first file or all that are prefetched behind it would exceed the bar. */
const STALLED_MIB = [200, ...Array.from({ length: 10 }, () => 20)];

type Env = Readonly<Record<string, string>>;

function files(count: number, bytes: number) {
  return Array.from({ length: count }, (_, index) => ({ path: `${index}.bin`, bytes }));
}

describe('the resident memory of a zipper', function () {
  this.timeout(300_000);
  let host: ZipperHost;
  let store: DiscardingStore;
  let origin: FileOrigin;

  before(async () => {
    host = await ZipperHost.start();
  });
  after(() => host[Symbol.asyncDispose]());
  beforeEach(async () => {
    store = await startDiscardingStore();
    origin = await startFileOrigin();
  });
  afterEach(async () => {
    await origin[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  async function peakOf(
    urls: readonly string[],
    { endpoint = store.endpoint, env = {} }: { readonly endpoint?: string; readonly env?: Env } = {},
  ): Promise<number> {
    const list = urls.map((url, index) => ({ url, filename: `${index}.bin` }));
    const program = await host.prepare({
      endpoint,
      bucket: 'bucket',
      key: 'a.zip',
      files: list,
      env: { [ZIPPER_ENV.trustBundle]: PRIVATE_TLS.authority, ...env },
    });
    const { peakBytes, wallSeconds } = await measure(program);
    console.log(
      `      ${(peakBytes / MIB).toFixed(0)} MiB; ${store.bytes} bytes in ${wallSeconds.toFixed(1)} s`,
    );
    return peakBytes;
  }

  const OVER_HTTP = [
    [`${LONGEST_GIB} GiB in 5 files`, 5, Math.floor((LONGEST_GIB * GIB) / 5)],
    [`one file of ${SHORT_MIB} MiB`, 1, SHORT_MIB * MIB],
    ['10,000 files', 10_000, 20_000],
  ] as const;
  // HTTPS includes the others.
  for (const [name, count, bytes] of OVER_HTTP.slice(0, sized(1, 3)))
    it(`is at most 256 MiB for ${name} (H10)`, async () => {
      await using own = await openOrigin(
        { name, what: '', latencyMs: 0, files: files(count, bytes) },
        { plain: true },
      );
      const peak = await peakOf(files(count, bytes).map(({ path }) => `${own.url}${path}`));
      expect(store.bytes).to.be.greaterThan(count * bytes);
      expect(peak).to.be.greaterThan(0).and.at.most(BAR_BYTES);
    });

  const OVER_HTTPS = [
    [`one file of ${SHORT_MIB} MiB`, 1, SHORT_MIB * MIB, HTTPS_BAR_BYTES],
    [`${SHORT_MIB} MiB in 4 files`, 4, (SHORT_MIB * MIB) / 4, HTTPS_BAR_BYTES],
    ['10,000 files', 10_000, 20_000, BAR_BYTES],
    // This process encrypts and decrypts too, so only runs at full size include it.
    [`${LONGEST_GIB} GiB in 5 files`, 5, Math.floor((LONGEST_GIB * GIB) / 5), BAR_BYTES],
  ] as const;
  for (const [name, count, bytes, bar] of OVER_HTTPS.slice(0, sized(3, 4)))
    it(`is at most ${bar / MIB} MiB for ${name} over HTTPS (H10)`, async function () {
      this.timeout(Math.max(this.timeout(), ((count * bytes) / GIB) * MS_PER_GIB));
      const bench = { name, what: '', latencyMs: 0, files: files(count, bytes) };
      await using own = await openOrigin(bench, { plain: false });
      await using front = await startTlsFront(store.endpoint);
      const peak = await peakOf(
        bench.files.map(({ path }) => `${own.url}${path}`),
        { endpoint: front.url },
      );
      expect(store.bytes).to.be.greaterThan(count * bytes);
      expect(peak).to.be.greaterThan(0).and.at.most(bar);
    });

  for (const partMib of [64, 256])
    it(`is at most what the controller requests for parts of ${partMib} MiB (G11) (H10)`, async () => {
      const partSizeBytes = partMib * MIB;
      // Enough for all parts in memory.
      const bench = { name: 'parts', what: '', latencyMs: 0, files: files(4, partSizeBytes) };
      await using own = await openOrigin(bench, { plain: true });
      const peak = await peakOf(
        bench.files.map(({ path }) => `${own.url}${path}`),
        { env: { PART_SIZE_BYTES: String(partSizeBytes) } },
      );
      expect(peak)
        .to.be.greaterThan(2 * partSizeBytes)
        .and.at.most(zipperMemoryBytes({ partSizeBytes }));
    });

  it('is at most 256 MiB when the sources send 16 bytes at a time (H10)', async () => {
    const urls = Array.from({ length: sized(4, 8) }, (_, seed) =>
      origin.url(`/chunked/${2 * MIB}/${seed}/16`),
    );
    expect(await peakOf(urls))
      .to.be.greaterThan(0)
      .and.at.most(BAR_BYTES);
  });

  it('is at most 256 MiB while the store accepts no bytes (H10)', async () => {
    const stall = Promise.withResolvers<void>();
    store.stalled = stall.promise;
    const { writes } = host.status;
    const earlier = writes.length;
    const urls = STALLED_MIB.map((mib, seed) => origin.url(`/gen/${mib * MIB}/${seed}`));
    const peak = peakOf(urls, { env: { STATUS_PROGRESS_INTERVAL_MS: '100' } });
    let last = 0;
    function isFull(): boolean {
      const before = last;
      last = writes.slice(earlier).at(-1)?.status.progress?.bytesRead ?? 0;
      return last > 0 && last === before;
    }
    await until('the zipper to read no more', isFull, { intervalMs: 500 }).finally(stall.resolve);
    expect(await peak)
      .to.be.greaterThan(0)
      .and.at.most(BAR_BYTES);
    expect(store.bytes).to.be.greaterThan(STALLED_MIB.reduce((sum, mib) => sum + mib * MIB, 0));
  });
});
