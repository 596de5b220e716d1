/** Mistakes in what the zipper and the recovery accept as evidence, and in what ends an attempt. */
import type { Mutant } from './mutant-list.ts';

const ZIPPER = 'test/unit/zipper-image';
const COMMITTING = `${ZIPPER}/tasks/recover-committing.test.ts`;
const FINISH = `${ZIPPER}/tasks/recover-finish.test.ts`;
const MANIFEST = 'test/unit/controller/zip-job/manifest/job-manifest.test.ts';
const PUBLISH = `${ZIPPER}/store/publish.test.ts`;
const SWEEP = `${ZIPPER}/tasks/recover-sweep.test.ts`;
const ARCHIVE = `${ZIPPER}/tasks/zip-to-s3.test.ts`;
const REFUSED = `${ZIPPER}/tasks/refused-writes.test.ts`;
const PART_RETRIES = `${ZIPPER}/store/upload-retries.test.ts`;
const CHECKPOINTS = `${ZIPPER}/resume/checkpoint-writer.test.ts`;
const ANY_ORDER = 'test/unit/controller/zip-job/any-order.test.ts';
const RECOVERING = 'test/unit/controller/zip-job/states/recovering.test.ts';

export const ZIPPER_MUTANTS: readonly Mutant[] = [
  {
    name: 'an upload that was gone before its abort counts as evidence of absence (recovery)',
    file: 'zipper-image/store/evidence.ts',
    find: "if (upload === 'gone' && isAborted)",
    replace: "if (upload === 'gone')",
    tests: [COMMITTING],
  },
  {
    name: 'an upload that was gone before its abort counts as evidence of absence (all orders)',
    file: 'zipper-image/store/evidence.ts',
    find: "if (upload === 'gone' && isAborted)",
    replace: "if (upload === 'gone')",
    tests: [ANY_ORDER],
  },
  {
    name: 'a listing counts as evidence before it shows the end of the attempt',
    file: 'zipper-image/store/recover-upload.ts',
    find: 'await this.#untilListed();',
    replace: '',
    tests: [COMMITTING],
  },
  {
    name: 'the success of Complete counts as evidence',
    file: 'zipper-image/store/evidence.ts',
    find: 'return ofMissing(evidence);',
    replace: "return evidence.isAcknowledged ? 'published' : ofMissing(evidence);",
    tests: [PUBLISH],
  },
  {
    name: 'Complete is sent again while an earlier one may be carried out',
    file: 'zipper-image/store/publish.ts',
    find: 'this.#isOver(error) && !isOtherChecksum(error) &&',
    replace: '!isOtherChecksum(error) &&',
    tests: [PUBLISH],
  },
  {
    name: 'an archive has no time to be assembled',
    file: 'zipper-image/store/evidence.ts',
    find: '(bytes / ASSEMBLY_RATE) * 1000 + consistencyMs',
    replace: 'consistencyMs',
    tests: [COMMITTING],
  },
  {
    name: 'uploads are swept before the pod is known to be active',
    file: 'zipper-image/tasks/zip-to-s3.ts',
    find: "await status.write({ upload: { ...recorded, state: 'open' } }, signal);\n  upload.recorded();",
    replace: "upload.recorded();\n  await status.write({ upload: { ...recorded, state: 'open' } }, signal);",
    tests: [ARCHIVE],
  },
  {
    name: 'recovery aborts uploads of the next attempt',
    file: 'zipper-image/tasks/recover.ts',
    find: 'toMs: latest + endsAt',
    replace: 'toMs: Infinity',
    tests: [SWEEP],
  },
  {
    name: 'recovery leaves uploads of the last moment of its attempt',
    file: 'zipper-image/tasks/recover.ts',
    find: 'const STORE_TIME_STEP_MS = 2000;',
    replace: 'const STORE_TIME_STEP_MS = 0;',
    tests: [SWEEP],
  },
  {
    name: 'recovery leaves the marker of a recovery pod that was killed',
    file: 'zipper-image/tasks/recover.ts',
    find: 'Date.parse(task.endedAt) + task.endedAgeSeconds * 1000',
    replace: 'Date.parse(task.endedAt)',
    tests: [SWEEP],
  },
  {
    name: 'an attempt ends when its recovery starts',
    file: 'controller/zip-job/manifest/recovery-facts.ts',
    find: 'attempt.completeSentAt ?? attempt.finishedAt ?? now.toISOString();',
    replace: 'now.toISOString();',
    tests: [MANIFEST],
  },
  {
    name: 'the time of an assembly does not count from the Complete of a recovery pod',
    file: 'controller/zip-job/manifest/recovery-facts.ts',
    find: 'attempt.completeSentAt ?? ',
    replace: '',
    tests: [MANIFEST],
  },
  {
    name: 'recovery compares its own pod with the object of an adopted upload',
    file: 'controller/zip-job/manifest/recovery-facts.ts',
    find: "(upload === 'unrecorded' ? undefined : upload.owner) ?? attempt.podUid",
    replace: 'attempt.podUid',
    tests: [MANIFEST],
  },
  {
    name: 'recovery completes the upload of a job that is cancelled',
    file: 'controller/zip-job/policies/finishing.ts',
    find: 'interruption(seen) === undefined &&',
    replace: '',
    tests: ['test/unit/controller/zip-job/states/finishing.test.ts'],
  },
  {
    name: 'recovery completes an upload whose parts are others than those recorded',
    file: 'zipper-image/store/finish-upload.ts',
    find: ' &&\n    digestOfParts(listed) === wanted.partsDigest',
    replace: '',
    tests: [FINISH],
  },
  {
    name: 'recovery aborts while its own Complete may be carried out',
    file: 'zipper-image/store/finish-upload.ts',
    find: 'if (deps.signal?.aborted === true) throw sentMs === undefined ? error : stillAssembling(error);',
    replace:
      'if (deps.signal?.aborted === true) return recoverUpload({ ...deps, signal: new AbortController().signal }, upload);',
    tests: [FINISH],
  },
  {
    name: 'the Complete of a recovery counts as the first one',
    file: 'zipper-image/store/finish-upload.ts',
    find: 'onConflict, isRepeated: true }',
    replace: 'onConflict }',
    tests: [FINISH],
  },
  {
    name: 'uploads of a job of another namespace are aborted',
    file: 'zipper-image/store/sweep-uploads.ts',
    find: "if (of.isShared) return 'unreported';",
    replace: '',
    tests: [SWEEP],
  },
  {
    name: 'a part that succeeds does not keep the others',
    file: 'runtime/time/retry.ts',
    find: 'limit?.restart();\n    return result;',
    replace: 'return result;',
    tests: [PART_RETRIES],
  },
  {
    name: 'a request is repeated at once',
    file: 'runtime/time/retry.ts',
    find: '(boundMs * (1 + Math.random())) / 2',
    replace: 'boundMs * Math.random() ** 3',
    tests: ['test/unit/runtime/time/retry.test.ts'],
  },
  {
    name: 'a long Retry-After ends the retries',
    file: 'runtime/time/retry.ts',
    find: 'if (asked > longestMs && policy.attempts !== undefined) return',
    replace: 'if (asked > longestMs) return',
    tests: ['test/unit/runtime/time/retry.test.ts'],
  },
  {
    name: 'any refusal means that another pod is active',
    file: 'zipper-image/status/api-server.ts',
    find: ' && message.includes(`[${POLICY_MARKS.notActive}]`);',
    replace: ';',
    tests: [REFUSED],
  },
  {
    name: 'a pod that is no longer active continues to write checkpoints',
    file: 'zipper-image/resume/checkpoint-writer.ts',
    find: "error.code === 'Superseded'",
    replace: "error.code === 'Internal'",
    tests: [CHECKPOINTS],
  },
  {
    name: 'a checkpoint is written while another one is',
    file: 'zipper-image/resume/checkpoint-writer.ts',
    find: '!this.#isScheduled || this.#running !== undefined ||',
    replace: '!this.#isScheduled ||',
    tests: [CHECKPOINTS],
  },
  {
    name: 'a checkpoint that failed is repeated with the same sequence',
    file: 'zipper-image/resume/checkpoint-writer.ts',
    find: 'this.#highest = highest + 1;',
    replace: '',
    tests: [CHECKPOINTS],
  },
  {
    name: 'the last checkpoint waits without a limit',
    file: 'zipper-image/resume/checkpoint-writer.ts',
    find: '() => this.#cancel.abort(tooSlow(limitMs))',
    replace: '() => undefined',
    tests: [CHECKPOINTS],
  },
  {
    name: 'checkpoints ignore how many jobs run',
    file: 'zipper-image/resume/checkpoint-writer.ts',
    find: 'this.#progressSeconds * 1000 * writes',
    replace: '0 * writes',
    tests: [CHECKPOINTS],
  },
  {
    name: 'a damaged checkpoint is read',
    file: 'zipper-image/resume/document.ts',
    find: 'if (crc32(content) !== bytes.readUInt32BE(content.length))',
    replace: 'if (content.length === 0)',
    tests: [`${ZIPPER}/resume/document.test.ts`],
  },
  {
    name: 'an upload is given up after some failed writes of its state',
    file: 'zipper-image/status/status-writer.ts',
    find: 'const policy: RetryPolicy = {',
    replace: 'const policy: RetryPolicy = {\n      attempts: 4,',
    tests: [ARCHIVE],
  },
  {
    name: 'an upload that was never completed is recovered as if it had been',
    file: 'controller/zip-job/attempt.ts',
    find: "isUncommitted ? { ...recorded, state: 'open' } : recorded",
    replace: 'recorded',
    tests: [RECOVERING],
  },
  {
    name: 'a recovery runs where nothing can remain',
    file: 'controller/zip-job/attempt.ts',
    find: 'isOwn(zipJob, podUid) && { uploadAborted: true }',
    replace: 'isOwn(zipJob, podUid) && { uploadAborted: false }',
    tests: [RECOVERING],
  },
  {
    name: 'uploads are started with another session name for each pod',
    file: 'zipper-image/main.ts',
    find: "task.mode === 'check-bucket' ? config.podUid : task.zipJobUid",
    replace: 'config.podUid',
    tests: [`${ZIPPER}/web-identity-process.test.ts`],
  },
  {
    name: 'a job keeps its slot while the store assembles its archive',
    file: 'controller/queue/ledger.ts',
    find: 'const isAwaiting = awaitsRecovery(started);',
    replace: 'const isAwaiting = false;',
    tests: ['test/unit/controller/queue/ledger.test.ts'],
  },
];
