import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { Progress } from '#crds/zip-job.ts';
import { createLogger } from '#runtime/log.ts';
import { until } from '#test/support/until.ts';
import type { StatusApi } from '#zipper-image/status/status-api.ts';
import { createStatusWriter } from '#zipper-image/status/status-writer.ts';

/** The duration of a call to the slow API server: much longer than the progress interval. */
const CALL_MS = 40;
const settings = {
  statusActivationIntervalMs: 1,
  statusProgressIntervalMs: 1,
  statusWriteLimitMs: 1000,
  statusRetryBaseMs: 1,
  statusRetryMaxMs: 1,
};

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
  const progress = (): Progress => {
    filesDone += 1;
    const counts = { filesTotal: 1_000_000, filesDone, bytesRead: 0, bytesUploaded: 0 };
    return { podUid: 'pod-1', ...counts, display: '', updatedAt: '2026-01-02T03:04:05Z' };
  };
  /** A read and a write, as in each reconcile of the controller. */
  const conditionalWrite = async (): Promise<boolean> => {
    const seen = version;
    await delay(2 * CALL_MS);
    return seen > 0 && version === seen;
  };

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
