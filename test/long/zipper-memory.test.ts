/** The peak resident memory of a zipper as counted by the kernel, for all kinds of archives and sources. */
import { expect } from 'chai';
import { ZIPPER_ENV } from '#crds/zipper-contract.ts';
import { openOrigin } from '#test/bench/bench-world.ts';
import { measure } from '#test/bench/measured-run.ts';
import { memoryRequest } from '#test/support/memory-request.ts';
import { ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type DiscardingStore, startDiscardingStore } from '#test/support/servers/discarding-store.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { PRIVATE_TLS } from '#test/support/servers/private-tls.ts';
import { startTlsFront } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const BAR_BYTES = 256 * MIB;
/** Less, because a part that TLS encrypts in one piece needs its size again. */
const HTTPS_BAR_BYTES = 224 * MIB;
/** Of the longest archive over HTTPS, where this process encrypts and decrypts too. */
const HTTPS_GIB = Number(process.env['ZIPPER_MEMORY_GIB'] ?? 2);
const MS_PER_GIB = 180_000;
const STALL_BYTES = 40 * MIB;

type Env = Readonly<Record<string, string>>;

const files = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, index) => ({ path: `${index}.bin`, bytes }));

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

  const peakOf = async (
    urls: readonly string[],
    { endpoint = store.endpoint, env = {} }: { readonly endpoint?: string; readonly env?: Env } = {},
  ): Promise<number> => {
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
  };

  for (const [name, count, bytes] of [
    ['one file of 1 GiB', 1, GIB],
    ['10,000 files', 10_000, 20_000],
    ['20 GiB in 5 files', 5, 4 * GIB],
  ] as const)
    it(`is at most 256 MiB for ${name} (H10)`, async () => {
      await using own = await openOrigin(
        { name, what: '', latencyMs: 0, files: files(count, bytes) },
        { plain: true },
      );
      const peak = await peakOf(files(count, bytes).map(({ path }) => `${own.url}${path}`));
      expect(store.bytes).to.be.greaterThan(count * bytes);
      expect(peak).to.be.greaterThan(0).and.at.most(BAR_BYTES);
    });

  for (const [name, count, bytes, bar] of [
    ['one file of 1 GiB', 1, GIB, HTTPS_BAR_BYTES],
    ['1 GiB in 4 files', 4, GIB / 4, HTTPS_BAR_BYTES],
    ['10,000 files', 10_000, 20_000, BAR_BYTES],
    [`${HTTPS_GIB} GiB in 5 files`, 5, Math.floor((HTTPS_GIB * GIB) / 5), BAR_BYTES],
  ] as const)
    it(`is at most ${bar / MIB} MiB for ${name} over HTTPS (H10)`, async function () {
      this.timeout(Math.max(this.timeout(), HTTPS_GIB * MS_PER_GIB));
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

  it('is at most what docs/performance.md requests for parts of 64 MiB (G15)', async () => {
    const buffers = { partSizeBytes: 64 * MIB, partsInFlight: 2, sourceBufferBytes: 16 * MIB };
    const bench = { name: 'parts', what: '', latencyMs: 0, files: files(4, GIB / 4) };
    await using own = await openOrigin(bench, { plain: true });
    const peak = await peakOf(
      bench.files.map(({ path }) => `${own.url}${path}`),
      { env: { PART_SIZE_BYTES: String(buffers.partSizeBytes) } },
    );
    expect(peak).to.be.greaterThan(0).and.at.most(memoryRequest(buffers));
  });

  it('is at most 256 MiB when the sources send 16 bytes at a time (H10)', async () => {
    const urls = Array.from({ length: 8 }, (_, seed) => origin.url(`/chunked/${2 * MIB}/${seed}/16`));
    expect(await peakOf(urls))
      .to.be.greaterThan(0)
      .and.at.most(BAR_BYTES);
  });

  it('is at most 256 MiB while the store accepts no bytes (H10)', async () => {
    const stall = Promise.withResolvers<void>();
    store.stalled = stall.promise;
    const urls = Array.from({ length: 40 }, (_, seed) => origin.url(`/gen/${20 * MIB}/${seed}`));
    const peak = peakOf(urls);
    await until(
      'the sources to have been prefetched while the store stalls',
      () => origin.requests.length > 1,
      {
        limitMs: 20_000,
      },
    );
    const timer = setTimeout(stall.resolve, 5000);
    expect(await peak)
      .to.be.greaterThan(0)
      .and.at.most(BAR_BYTES);
    clearTimeout(timer);
    expect(store.bytes).to.be.greaterThan(STALL_BYTES);
  });
});
