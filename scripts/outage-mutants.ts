/** Mistakes in what the controller makes of a store that is away, of a job that is too slow, and of clocks that differ. */
import type { Mutant } from './mutant-list.ts';

const CONTROLLER = 'test/unit/controller';
const OUTAGES = `${CONTROLLER}/queue/store-outages.test.ts`;
const BUCKET = `${CONTROLLER}/zip-bucket/decide.test.ts`;
const TOO_SLOW = `${CONTROLLER}/zip-job/policies/deadline.test.ts`;
const MEMORY = `${CONTROLLER}/zip-job/memory.test.ts`;
const WAITING = `${CONTROLLER}/zip-job/states/waiting.test.ts`;
const CLOCK = 'test/unit/runtime/time/server-clock.test.ts';

export const OUTAGE_MUTANTS: readonly Mutant[] = [
  {
    name: 'attempts that fail without an outage hold a bucket',
    file: 'controller/queue/store-outages.ts',
    find: "if (reason === AWAY) return ['away'];",
    replace: "if (reason !== undefined) return ['away'];",
    tests: [OUTAGES],
  },
  {
    name: 'a confirmed byte does not release a held bucket',
    file: 'controller/queue/store-outages.ts',
    find: 'return uploadedOf(after) > (isSamePod ? uploadedOf(before) : 0);',
    replace: 'return false;',
    tests: [OUTAGES],
  },
  {
    name: 'the bytes of the attempt before release a held bucket',
    file: 'controller/queue/store-outages.ts',
    find: '(isSamePod ? uploadedOf(before) : 0)',
    replace: '0',
    tests: [OUTAGES],
  },
  {
    name: 'a failed test releases a held bucket',
    file: 'controller/queue/store-outages.ts',
    find: " && hasCondition(after, 'Ready');",
    replace: ';',
    tests: [OUTAGES],
  },
  {
    name: 'the next leader does not know that a bucket is held',
    file: 'controller/queue/store-outages.ts',
    find: "hasCondition(object, 'Held') ? HELD_FROM : 0",
    replace: '0',
    tests: [OUTAGES],
  },
  {
    name: 'a held bucket runs as many jobs as before',
    file: 'controller/queue/queue-order.ts',
    find: 'isHeld(bucket) ? Math.min(1, perBucket) : perBucket;',
    replace: "isHeld(bucket) && bucket === '' ? Math.min(1, perBucket) : perBucket;",
    tests: [`${CONTROLLER}/queue/ledger.test.ts`, `${CONTROLLER}/queue/ledger-properties.test.ts`],
  },
  {
    name: 'a held bucket shows no condition',
    file: 'controller/zip-bucket/decide.ts',
    find: 'if (known === isHeld) return undefined;',
    replace: 'if (known === isHeld || isHeld) return undefined;',
    tests: [BUCKET],
  },
  {
    name: 'a job that could still meet its deadline ends early',
    file: 'controller/zip-job/policies/deadline.ts',
    find: 'deadline.getTime() + deadlineSeconds(zipJob, settings) * 1000;',
    replace: 'deadline.getTime();',
    tests: [TOO_SLOW],
  },
  {
    name: 'a job is judged by its first bytes',
    file: 'controller/zip-job/policies/deadline.ts',
    find: '|| !isJudged(progress)) return false;',
    replace: ') return false;',
    tests: [TOO_SLOW],
  },
  {
    name: 'one estimate within the deadline does not count',
    file: 'controller/zip-job/memory.ts',
    find: 'const late = isLate && { lateSince: known?.lateSince ?? now };',
    replace: 'const late = (isLate || known?.lateSince) && { lateSince: known?.lateSince ?? now };',
    tests: [MEMORY],
  },
  {
    name: 'a job ends early although everything is read',
    file: 'controller/zip-job/states/active.ts',
    find: " || seen.zipJob.status?.upload?.state === 'committing') return false;",
    replace: ') return false;',
    tests: [WAITING],
  },
  {
    name: 'the time of the API server that responded last counts',
    file: 'runtime/time/server-clock.ts',
    find: 'if (isConfirmed || isAlone) this.#accept(other.bounds);',
    replace: 'if (isConfirmed || isAlone || other.responses > 0) this.#accept(other.bounds);',
    tests: [CLOCK],
  },
  {
    name: 'five responses of a wrong API server are enough',
    file: 'runtime/time/server-clock.ts',
    find: ' && this.monotonicMs() - this.#heardMs >= REPLACED_AFTER_MS;',
    replace: ';',
    tests: [CLOCK],
  },
  {
    name: 'a wrong API server that responded first counts for good',
    file: 'runtime/time/server-clock.ts',
    find: 'if (isConfirmed || isAlone) this',
    replace: 'if (isAlone) this',
    tests: [CLOCK],
  },
  {
    name: 'API servers that differ are not counted',
    file: 'runtime/time/server-clock.ts',
    find: 'this.#onContradiction(gapOf(known, reported));',
    replace: '',
    tests: [CLOCK, `${CONTROLLER}/reconciling/watched-clock.test.ts`],
  },
  {
    name: 'the marker upload of a recovery that is stopped remains',
    file: 'zipper-image/tasks/recover.ts',
    find: '{ ...deps, signal: late.signal }, own',
    replace: 'deps, own',
    tests: ['test/unit/zipper-image/tasks/recover-sweep.test.ts'],
  },
];
