import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Progress, ZipResult } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { createLogger } from '#runtime/log/log.ts';
import { until } from '#test/support/until.ts';
import type { StatusApi } from '#zipper-image/status/status-api.ts';
import { createStatusWriter, type StatusWriter } from '#zipper-image/status/status-writer.ts';

/** The duration of a call to the slow API server: much longer than the progress interval. */
const CALL_MS = 40;
const settings = {
  statusActivationIntervalMs: 1,
  statusProgressIntervalMs: 1,
  statusRefusalLimitMs: 1000,
  statusRetryBaseMs: 1,
  statusRetryMaxMs: 1,
};

const RESULT: ZipResult = {
  bytes: 1,
  entries: 1,
  etag: 'e',
  seconds: 1,
  peakMemory: 1,
  retries: 0,
  contractVersion: 1,
};

/** Lets timers of the shortest interval fire. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await delay(1);
}

describe('createStatusWriter', () => {
  let version = 0;
  let filesDone = 0;
  const api: StatusApi = {
    apply: async () => {
      await delay(CALL_MS);
      version += 1;
      return { metadata: { uid: 'uid-1' }, spec: {} };
    },
    close: async () => undefined,
  };
  function progress(): Progress {
    filesDone += 1;
    const counts = { filesTotal: 1_000_000, filesDone, bytesRead: 0, bytesUploaded: 0 };
    return { podUid: 'pod-1', ...counts, display: '', updatedAt: '2026-01-02T03:04:05Z' };
  }
  /** A read and a write, as in each reconcile of the controller. */
  async function conditionalWrite(): Promise<boolean> {
    const seen = version;
    await delay(2 * CALL_MS);
    return seen > 0 && version === seen;
  }

  it('leaves time for conditional writes of the controller, even if each call is slow (F6)', async () => {
    const log = createLogger('test', { level: 'silent' });
    const writer = createStatusWriter({ api, settings, log, progress, onSuperseded: () => undefined });
    const stop = writer.startProgress(new AbortController().signal);
    try {
      await until('a conditional write to succeed', conditionalWrite, { limitMs: 15_000 });
      const before = version;
      await until('progress to resume', () => version > before, { limitMs: 15_000 });
    } finally {
      await stop();
    }
    const last = version;
    expect(await conditionalWrite()).to.equal(true);
    expect(version).to.equal(last);
  });
});

describe('the interval of progress', () => {
  const HOUR = 3600;
  let filesDone = 0;
  /** Writes so far, and the interval in the next responses. */
  const seen: { writes: number; everySeconds: number | undefined } = { writes: 0, everySeconds: undefined };
  function aWriter(everySeconds: number | undefined): StatusWriter {
    Object.assign(seen, { writes: 0, everySeconds });
    const api: StatusApi = {
      apply: () => {
        seen.writes += 1;
        const status = defined({ progressIntervalSeconds: seen.everySeconds });
        return Promise.resolve({ metadata: { uid: 'uid-1' }, spec: {}, status });
      },
      close: async () => undefined,
    };
    function progress(): Progress {
      filesDone += 1;
      const counts = { filesTotal: 1_000_000, filesDone, bytesRead: 0, bytesUploaded: 0 };
      return { podUid: 'pod-1', ...counts, display: '', updatedAt: '2026-01-02T03:04:05Z' };
    }
    const log = createLogger('test', { level: 'silent' });
    return createStatusWriter({ api, settings, log, progress, onSuperseded: () => undefined });
  }

  it('is that of the last response, which delays only progress (G5)', async () => {
    const { signal } = new AbortController();
    const writer = aWriter(HOUR);
    await writer.activate(1000, signal);
    const stop = writer.startProgress(signal);
    try {
      await writer.write({ upload: { uploadId: 'u', state: 'open', partSize: 1 } }, signal);
      await writer.write({ failure: { code: 'Internal', message: 'm', retriable: false } }, signal);
      await turns(100);
      expect(seen.writes, 'progress was written within the hour').to.equal(3);
      seen.everySeconds = undefined;
      await writer.write({ result: RESULT });
      await until('progress to resume at the own interval', () => seen.writes > 6);
    } finally {
      await stop();
    }
  });

  it('is never shorter than the setting of the zipper (G5)', async () => {
    const { signal } = new AbortController();
    const writer = aWriter(undefined);
    const stop = writer.startProgress(signal);
    await until('progress without an interval', () => seen.writes > 3);
    seen.everySeconds = HOUR;
    await writer.write({ result: RESULT });
    const before = seen.writes;
    await turns(100);
    await stop();
    expect(seen.writes - before).to.be.at.most(1);
  });
});
