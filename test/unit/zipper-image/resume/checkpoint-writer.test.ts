import { expect } from 'chai';
import type { ZipCheckpointStatus } from '#crds/zip-checkpoint.ts';
import { createLogger } from '#runtime/log/log.ts';
import { largeRecords } from '#test/support/builders/large-records.ts';
import { createManualClock, type ManualClock } from '#test/support/builders/manual-clock.ts';
import { until } from '#test/support/until.ts';
import {
  type CheckpointWriter,
  type CheckpointWriterDeps,
  createCheckpointWriter,
} from '#zipper-image/resume/checkpoint-writer.ts';
import { decodeRecords } from '#zipper-image/resume/document.ts';
import type { Records } from '#zipper-image/resume/types.ts';
import { StatusError } from '#zipper-image/status/status-error.ts';

const INTERVAL_MS = 30_000;
const MINUTE_MS = 60_000;
const UPLOAD = { uploadId: 'upload-1', owner: 'pod-1', plan: 'ab'.repeat(32) };
const CHECKPOINTED = { checkpointed: true };

function recordsOf(parts: number): Records {
  const numbers = Array.from({ length: parts }, (_, index) => index + 1);
  return { files: [], parts: numbers.map((number) => ({ number, bytes: 8, etagDigest: number, crc32: 0 })) };
}

/** One writer, the object that it writes, and the parts that the store has confirmed. */
class Bench {
  readonly clock: ManualClock = createManualClock();
  readonly written: ZipCheckpointStatus[] = [];
  /** When each was written, in ms. */
  readonly times: number[] = [];
  reads = 0;
  parts = 0;
  records = (): Records => recordsOf(this.parts);
  /** Called before a write takes effect. */
  respond: (signal: AbortSignal | undefined) => Promise<void> = async () => undefined;
  readonly logged: string[] = [];
  readonly writer: CheckpointWriter;

  constructor(deps: Partial<CheckpointWriterDeps> = {}) {
    const destination = { write: (line: string) => void this.logged.push(line) };
    this.writer = createCheckpointWriter({
      api: {
        read: async () => {
          this.reads += 1;
          return this.written.at(-1);
        },
        write: async (status, signal) => {
          await this.respond(signal);
          this.times.push(this.clock.monotonicMs());
          this.written.push(status);
        },
      },
      settings: { checkpointIntervalMs: INTERVAL_MS },
      log: createLogger('test', { level: 'warn', destination }),
      upload: UPLOAD,
      partsConfirmed: () => this.parts,
      records: () => this.records(),
      clock: this.clock,
      random: () => 0,
      ...deps,
    });
  }

  /** Confirms a part in each second. */
  async run(ms: number): Promise<void> {
    for (let second = 0; second < ms / 1000; second += 1) {
      this.parts += 1;
      await this.clock.advance(1000);
    }
  }

  get sequences(): readonly number[] {
    return this.written.map(({ sequence }) => sequence);
  }
}

function refusal(code: 'Superseded' | 'ApiServerUnavailable', more = {}): StatusError {
  return new StatusError(`refused as ${code}`, { code, httpStatus: 403, ...more });
}

describe('createCheckpointWriter', () => {
  it('does nothing before there is an object', async () => {
    const bench = new Bench();
    bench.writer.follow(undefined);
    bench.writer.follow({ progressIntervalSeconds: 2 });
    await bench.run(10 * MINUTE_MS);
    expect(bench.written).to.deep.equal([]);
    expect(await bench.writer.writeLast(1000)).to.equal(false);
    expect(bench.written).to.deep.equal([]);
    expect(bench.reads).to.equal(0);
  });

  it('writes after half an interval, then after each interval, with all fields', async () => {
    const bench = new Bench();
    bench.writer.follow(CHECKPOINTED);
    await bench.run(80_000);
    expect(bench.times).to.deep.equal([15_000, 45_000, 75_000]);
    expect(bench.sequences).to.deep.equal([1, 2, 3]);
    const [{ records, ...fields } = { records: '' }] = bench.written;
    expect(fields).to.deep.equal({ sequence: 1, ...UPLOAD });
    expect(decodeRecords(records).parts).to.have.length(15);
    expect(bench.writer).to.include({ sequence: 3, failures: 0 });
    expect(bench.reads).to.equal(0);
  });

  it('writes at most twice a minute, also at other random times', async () => {
    for (const random of [() => 0, () => 0.999, Math.random]) {
      const bench = new Bench({ random });
      bench.writer.follow(CHECKPOINTED);
      for (let round = 0; round < 30; round += 1) {
        await bench.run(20_000);
        bench.writer.follow(CHECKPOINTED);
      }
      expect(bench.times.length).to.be.at.least(16);
      for (const [index, time] of bench.times.entries())
        expect(time - (bench.times[index - 1] ?? -INTERVAL_MS)).to.be.at.least(INTERVAL_MS);
    }
  });

  it('writes nothing while no part is confirmed, and soon after the next one', async () => {
    const bench = new Bench();
    bench.writer.follow(CHECKPOINTED);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(bench.written).to.deep.equal([]);
    bench.parts = 1;
    await bench.clock.advance(1000);
    expect(bench.written).to.have.length(1);
    await bench.clock.advance(10 * MINUTE_MS);
    expect(bench.written).to.have.length(1);
  });

  it('continues the sequence of earlier pods, whose checkpoint counts only if it is of the same upload', async () => {
    const continued = new Bench({ last: { sequence: 7, isOfUpload: true } });
    expect(continued.writer.sequence).to.equal(7);
    const fresh = new Bench({ last: { sequence: 7, isOfUpload: false } });
    expect(fresh.writer.sequence).to.equal(undefined);
    for (const bench of [continued, fresh]) {
      bench.writer.follow(CHECKPOINTED);
      await bench.run(15_000);
      expect(bench.sequences).to.deep.equal([8]);
      expect(bench.writer.sequence).to.equal(8);
    }
  });

  it('waits longer while many jobs run, and longer still for a large checkpoint', async () => {
    const bench = new Bench();
    bench.records = () => largeRecords({ files: 10 });
    bench.writer.follow({ ...CHECKPOINTED, progressIntervalSeconds: 64 });
    await bench.run(32_000);
    await until('the first checkpoint', () => bench.written.length === 1);
    const writes = Math.ceil((bench.written[0]?.records.length ?? 0) / (2 ** 20 / 50));
    expect(writes).to.equal(6);
    await bench.run(writes * 64_000 - 2000);
    expect(bench.written).to.have.length(1);
    bench.writer.follow(CHECKPOINTED);
    await bench.clock.advance(1000);
    await until('the second checkpoint, after the interval became shorter', () => bench.written.length === 2);
    await bench.writer.stop();
  });

  it('counts a failed write, says it once, and continues with the next sequence', async () => {
    const bench = new Bench();
    bench.respond = () => Promise.reject(refusal('ApiServerUnavailable'));
    bench.writer.follow(CHECKPOINTED);
    await bench.run(80_000);
    expect(bench.writer).to.include({ failures: 3, sequence: undefined });
    expect(bench.logged).to.have.length(1);
    bench.respond = async () => undefined;
    await bench.run(30_000);
    expect(bench.sequences).to.deep.equal([4]);
    expect(bench.writer).to.include({ failures: 3, sequence: 4 });
  });

  it('reads the sequence after a refusal, because an earlier pod may have written a higher one', async () => {
    const bench = new Bench();
    bench.written.push({ sequence: 12, ...UPLOAD, records: '' });
    bench.respond = () => Promise.reject(refusal('ApiServerUnavailable', { isRefusal: true }));
    bench.writer.follow(CHECKPOINTED);
    await bench.run(15_000);
    bench.respond = async () => undefined;
    await bench.run(60_000);
    expect(bench.sequences).to.deep.equal([12, 13, 14]);
    expect(bench.reads).to.equal(1);
  });

  it('ends when another pod is active', async () => {
    const bench = new Bench();
    bench.respond = () => Promise.reject(refusal('Superseded'));
    bench.writer.follow(CHECKPOINTED);
    await bench.run(15_000);
    bench.respond = async () => undefined;
    bench.writer.follow(CHECKPOINTED);
    await bench.run(10 * MINUTE_MS);
    expect(await bench.writer.writeLast(1000)).to.equal(false);
    expect(bench.written).to.deep.equal([]);
    expect(bench.writer.failures).to.equal(1);
    expect(bench.clock.pending).to.equal(0);
  });

  it('writes one at a time', async () => {
    const bench = new Bench();
    const first = Promise.withResolvers<void>();
    bench.respond = () => first.promise;
    bench.writer.follow(CHECKPOINTED);
    await bench.run(5 * MINUTE_MS);
    bench.writer.follow(CHECKPOINTED);
    await bench.run(5 * MINUTE_MS);
    expect(bench.written).to.have.length(0);
    first.resolve();
    await bench.run(1000);
    expect(bench.written).to.have.length(1);
    await bench.run(30_000);
    expect(bench.written).to.have.length(2);
  });

  it('omits the validators of finished files if the text would be too long', async () => {
    const bench = new Bench();
    const records = largeRecords({ sha256: true, validators: true });
    const [first, ...files] = records.files;
    if (!first?.entry) throw new Error('there is no entry');
    const { crc: _crc, ...entry } = first.entry;
    bench.records = () => ({ ...records, files: [{ ...first, entry }, ...files] });
    bench.parts = 1;
    bench.writer.follow(CHECKPOINTED);
    expect(await bench.writer.writeLast(20_000)).to.equal(true);
    const [written] = decodeRecords(bench.written[0]?.records ?? '').files;
    expect(written).to.deep.equal({ ...first, entry });
    const others = decodeRecords(bench.written[0]?.records ?? '').files.slice(1);
    expect(others.filter(({ validator }) => validator !== undefined)).to.deep.equal([]);
  });

  it('counts a checkpoint that is too long, and one of impossible records', async () => {
    const bench = new Bench();
    const validator = 'x'.repeat(1_000_000);
    const file = { lengthUnverified: false, contentEncoded: false, validator };
    bench.writer.follow(CHECKPOINTED);
    bench.parts = 1;
    bench.records = () => ({ files: [file], parts: [] });
    expect(await bench.writer.writeLast(10_000)).to.equal(false);
    bench.records = () => ({ files: [], parts: [{ number: 0, bytes: 0, etagDigest: 0 }] });
    expect(await bench.writer.writeLast(10_000)).to.equal(false);
    expect(bench.writer.failures).to.equal(2);
    expect(bench.written).to.deep.equal([]);
    expect(bench.logged).to.have.length(2);
  });
});

describe('the last checkpoint', () => {
  it('contains every confirmed part, and ends the schedule', async () => {
    const bench = new Bench();
    bench.writer.follow(CHECKPOINTED);
    await bench.run(20_000);
    expect(await bench.writer.writeLast(5000)).to.equal(true);
    expect(decodeRecords(bench.written.at(-1)?.records ?? '').parts).to.have.length(20);
    await bench.run(5 * MINUTE_MS);
    expect(bench.sequences).to.deep.equal([1, 2]);
    expect(bench.clock.pending).to.equal(0);
  });

  it('is the one before if no part was confirmed since', async () => {
    const bench = new Bench({ last: { sequence: 7, isOfUpload: true } });
    bench.writer.follow(CHECKPOINTED);
    expect(await bench.writer.writeLast(5000)).to.equal(true);
    expect(bench.written).to.deep.equal([]);
    const fresh = new Bench();
    fresh.writer.follow(CHECKPOINTED);
    expect(await fresh.writer.writeLast(5000)).to.equal(false);
  });

  it('waits for the write that is under way', async () => {
    const bench = new Bench();
    const first = Promise.withResolvers<void>();
    bench.respond = () => first.promise;
    bench.writer.follow(CHECKPOINTED);
    await bench.run(16_000);
    const last = bench.writer.writeLast(5000);
    await bench.clock.advance(1000);
    expect(bench.written).to.have.length(0);
    first.resolve();
    expect(await last).to.equal(true);
    expect(bench.sequences).to.deep.equal([1, 2]);
  });

  for (const isUnderWay of [true, false])
    it(`has a time limit, also if ${isUnderWay ? 'a write before' : 'it'} never ends`, async () => {
      const bench = new Bench();
      bench.respond = () => new Promise(() => undefined);
      bench.writer.follow(CHECKPOINTED);
      await bench.run(isUnderWay ? 15_000 : 14_000);
      const last = bench.writer.writeLast(5000);
      await bench.clock.advance(5000);
      expect(await last).to.equal(false);
      expect(bench.writer.failures).to.equal(1);
      expect(bench.clock.pending).to.equal(0);
    });
});

describe('stop', () => {
  it('aborts the write that is under way, which counts as no failure, and ends the schedule', async () => {
    const bench = new Bench();
    let signal: AbortSignal | undefined;
    bench.respond = (aborted) => {
      signal = aborted;
      return new Promise(() => undefined);
    };
    bench.writer.follow(CHECKPOINTED);
    await bench.run(15_000);
    await bench.writer.stop();
    expect(signal?.aborted).to.equal(true);
    expect(bench.writer.failures).to.equal(0);
    expect(await bench.writer.writeLast(1000)).to.equal(false);
    expect(bench.clock.pending).to.equal(0);
  });

  it('may be called at any time', async () => {
    const bench = new Bench();
    await bench.writer.stop();
    bench.writer.follow(CHECKPOINTED);
    await bench.run(MINUTE_MS);
    await bench.writer.stop();
    expect(bench.written).to.deep.equal([]);
  });
});
