import { expect } from 'chai';
import { RECOVERY_CONSTANTS, RECOVERY_GRACE_SECONDS } from '#controller/config/recovery-settings.ts';
import { ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';
import {
  readPodConfig,
  SHUTDOWN_TIMEOUT_MS,
  withTaskSettings,
  ZIPPER_CONSTANTS,
  ZIPPER_DEFAULTS,
} from '#zipper-image/config.ts';
import { TaskError } from '#zipper-image/status/task-error.ts';

describe('the configuration of a zipper', () => {
  const pod = readPodConfig({ POD_UID: 'pod-1', LOG_LEVEL: 'debug', SOURCE_CONCURRENCY: '5' });

  it('is that of its variables, and of its task or the defaults', () => {
    expect(withTaskSettings(pod, undefined)).to.deep.equal({ ...pod, ...ZIPPER_DEFAULTS });
    expect(withTaskSettings(pod, { sourceConcurrency: 7, sourceSequential: true })).to.deep.equal({
      ...pod,
      ...ZIPPER_DEFAULTS,
      sourceConcurrency: 7,
      sourceSequential: true,
    });
  });

  for (const settings of [{ storeBufferBytes: 1 }, { sourceConcurrency: 'many' }, { statusRetryMaxMs: -1 }])
    it(`refuses ${JSON.stringify(settings)}`, () => {
      expect(() => withTaskSettings(pod, settings)).to.throw(TaskError, Object.keys(settings)[0]);
    });

  it('has time limits that fit together: a commit can be recovered, an upload aborted, and a recovery reported', () => {
    const { recoveryLimitMs, storeStartGraceMs } = ZIPPER_CONSTANTS;
    expect(ZIPPER_SETTINGS.storeConsistencyMs.maximum * 2).to.be.below(recoveryLimitMs);
    expect(storeStartGraceMs).to.be.below(SHUTDOWN_TIMEOUT_MS);
    const reportedSeconds = RECOVERY_CONSTANTS.recoveryDeadlineSeconds + RECOVERY_GRACE_SECONDS;
    expect(recoveryLimitMs).to.be.below(reportedSeconds * 1000);
  });
});
