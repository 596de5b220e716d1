/**
 * A zipper that receives SIGTERM at any moment of its job leaves no upload behind, and reports that a retry
 * may help.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import { startZipper, ZipperHost } from '#test/support/processes/zipper-process.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { type HostileStore, startHostileStore } from '#test/support/servers/hostile-store.ts';
import { sized } from '#test/support/sized.ts';

const MIB = 1024 * 1024;
/** Moments of a job of about a second. */
const EVERY_MS = sized(300, 50);
const LAST_MS = 1500;
/** How late the store responds to the start of the upload, and the moments after that request arrived. */
const LATE_MS = 150;
const AFTER_START_MS = [0, 50, 100, 140, 160, 200];
/** Moments while Node ends after the job. */
const EXIT_MS = 90;
const EXIT_STEP_MS = sized(10, 3);
/** The default of the chart is 30 s. */
const GRACE_MS = 30_000;
/** The requests of a job of three parts. */
const MOMENTS = ['create', 'part 1', 'part 2', 'part 3', 'complete'];

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

  /** The end of a job of about a second that gets SIGTERM when the promise of `prepare` resolves. */
  async function stopWhen(prepare: (store: HostileStore) => Promise<unknown>) {
    await using store = await startHostileStore();
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
    const moment = prepare(store);
    const child = startZipper(program);
    child.stdout?.resume();
    child.stderr?.resume();
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    await Promise.race([moment, ended]);
    const reportedAt = performance.now();
    child.kill('SIGTERM');
    const [code, signal] = await ended;
    return {
      code,
      signal,
      tookMs: performance.now() - reportedAt,
      requests: store.requests.map(({ operation }) => operation),
      uploads: store.uploads.size,
      objects: store.objects.size,
    };
  }

  /** The exit code or the signal. */
  async function expectCleanEnd(
    when: string,
    prepare: (store: HostileStore) => Promise<unknown>,
  ): Promise<string> {
    const end = await stopWhen(prepare);
    const text = `${when}: ${JSON.stringify(end)}`;
    expect(end.tookMs, text).to.be.below(GRACE_MS);
    expect(end.uploads, text).to.equal(0);
    expect(end.objects, text).to.equal(end.code === EXIT_CODES.ok ? 1 : 0);
    // Before Node has started our code the signal ends the process; Kubernetes counts that as retriable too.
    if (end.signal !== null) expect(end.requests, text).to.deep.equal([]);
    else expect(end.code, text).to.be.oneOf([EXIT_CODES.terminated, EXIT_CODES.ok]);
    return String(end.signal ?? end.code);
  }

  it('ends it in time with no open upload and a retriable exit code, at any moment (F8, H8)', async () => {
    const ends: string[] = [];
    for (let ms = 0; ms <= LAST_MS; ms += EVERY_MS)
      ends.push(await expectCleanEnd(`after ${ms} ms`, () => delay(ms)));
    console.log(`      ${ends.join(' ')}`);
  });

  it('ends it with no open upload and a retriable exit code at each request to the store (F8, H8)', async () => {
    const ends: string[] = [];
    for (const moment of MOMENTS)
      ends.push(
        await expectCleanEnd(`at ${moment}`, (store) => {
          const arrived = Promise.withResolvers<void>();
          store.fault = ({ operation, partNumber }) => {
            if (`${operation} ${partNumber ?? ''}`.trim() === moment) arrived.resolve();
            return undefined;
          };
          return arrived.promise;
        }),
      );
    expect(ends.slice(0, -1)).to.deep.equal(ends.slice(0, -1).map(() => String(EXIT_CODES.terminated)));
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
    for (const ms of AFTER_START_MS)
      await expectCleanEnd(`${ms} ms after the start`, (store) => {
        const started = Promise.withResolvers<void>();
        store.fault = ({ operation }) => {
          if (operation !== 'create') return undefined;
          started.resolve();
          return { kind: 'hold', until: delay(LATE_MS) };
        };
        return started.promise.then(() => delay(ms));
      });
  });
});
