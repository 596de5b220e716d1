/**
 * A zipper that receives SIGTERM at any moment of its job leaves no upload behind, and reports that a retry
 * may help.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/zipper-contract.ts';
import { startZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { startHostileStore } from '#test/support/servers/hostile-store.ts';

const MIB = 1024 * 1024;
const EVERY_MS = 50;
const LAST_MS = 1500;
/** Shorter intervals while the upload starts, with a store that responds to that with a delay. */
const START = { everyMs: 10, fromMs: 150, lastMs: 550, lateMs: 150 };
/** Node needs some of this time for its own end. */
const EXIT_MS = 90;
const EXIT_STEP_MS = 3;
/** The default of the chart is 30 s. */
const GRACE_MS = 30_000;

describe('SIGTERM to a zipper', function () {
  this.timeout(240_000);
  let host: ZipperHost;
  let origin: FileOrigin;

  before(async () => {
    host = await ZipperHost.start();
    origin = await startFileOrigin();
  });
  after(async () => {
    await origin[Symbol.asyncDispose]();
    await host[Symbol.asyncDispose]();
  });

  /**
   * The end of a job of about a second that got SIGTERM after this time; the store delays the response to its
   * CreateMultipartUpload.
   */
  const stopAfter = async (ms: number, lateMs = 0) => {
    await using store = await startHostileStore();
    store.fault = ({ operation }) =>
      operation === 'create' && lateMs > 0 ? { kind: 'hold', until: delay(lateMs) } : undefined;
    const files = ['/drip/100000/50/1200000/1', `/gen/${12 * MIB}/2`].map((path, index) => ({
      url: origin.url(path),
      filename: `${index}.bin`,
    }));
    const program = await host.prepare({
      endpoint: store.endpoint,
      bucket: 'bucket',
      key: 'a.zip',
      files,
      env: { PART_SIZE_BYTES: String(5 * MIB) },
    });
    const child = startZipper(program);
    child.stdout?.resume();
    child.stderr?.resume();
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    await delay(ms);
    const reportedAt = performance.now();
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    return {
      code,
      signal,
      tookMs: performance.now() - reportedAt,
      started: store.requests.some(({ operation }) => operation === 'create'),
      uploads: store.uploads.size,
      objects: store.objects.size,
    };
  };

  /** The exit code or the signal. */
  const expectCleanEnd = async (ms: number, lateMs?: number): Promise<string> => {
    const end = await stopAfter(ms, lateMs);
    const text = `after ${ms} ms: ${JSON.stringify(end)}`;
    expect(end.tookMs, text).to.be.below(GRACE_MS);
    expect(end.uploads, text).to.equal(0);
    expect(end.objects, text).to.equal(end.code === EXIT_CODES.ok ? 1 : 0);
    // Before Node has started our code the signal ends the process; Kubernetes counts that as retriable too.
    if (end.signal !== null) expect(end.started, text).to.equal(false);
    else expect(end.code, text).to.be.oneOf([EXIT_CODES.terminated, EXIT_CODES.ok]);
    return String(end.signal ?? end.code);
  };

  it(`every ${EVERY_MS} ms ends it in time with no open upload and a retriable exit code (F8, H8)`, async () => {
    const counts = new Map<string, number>();
    for (let ms = 0; ms <= LAST_MS; ms += EVERY_MS) {
      const how = await expectCleanEnd(ms);
      counts.set(how, (counts.get(how) ?? 0) + 1);
    }
    console.log(`      ${JSON.stringify(Object.fromEntries(counts))}`);
    expect(counts.get(String(EXIT_CODES.terminated)) ?? 0).to.be.greaterThan(5);
  });

  it('keeps the exit code of a finished job when SIGTERM arrives while Node exits (F8)', async () => {
    await using store = await startHostileStore();
    const ends: (number | string | null)[] = [];
    for (let ms = 0; ms < EXIT_MS; ms += EXIT_STEP_MS) {
      const program = await host.prepare({
        endpoint: store.endpoint,
        bucket: 'bucket',
        key: `${ms}.zip`,
        files: [{ url: origin.url('/gen/1000/1'), filename: 'a' }],
      });
      const child = startZipper(program);
      child.stderr?.resume();
      const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
      child.stdout?.on('data', (lines: Buffer) => {
        if (lines.includes('the task succeeded')) setTimeout(() => child.kill('SIGTERM'), ms);
      });
      const [code, signal] = await ended;
      ends.push(signal ?? code);
    }
    expect(new Set(ends), ends.join()).to.deep.equal(new Set([EXIT_CODES.ok]));
  });

  it('leaves no upload even if the store delays the response to its start (F8, H8)', async () => {
    for (let ms = START.fromMs; ms <= START.lastMs; ms += START.everyMs)
      await expectCleanEnd(ms, START.lateMs);
  });
});
