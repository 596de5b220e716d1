/** One change to the code. */
export interface Change {
  /** What the changed code does wrong. */
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly find: string;
  readonly replace: string;
}

/** A change that a unit test must notice. */
export interface Mutant extends Change {
  /** Unit tests, of which at least one must fail. */
  readonly tests: readonly string[];
}

/** A change that a schedule of the chaos runner must notice. */
export interface ChaosMutant extends Change {
  /** A rule of test/chaos/violation.ts that it breaks. */
  readonly rule: string;
}

const UNIT = 'test/unit/controller';
const OVERLAPPING = `${UNIT}/zip-job/overlapping.test.ts`;
const INHERITED = `${UNIT}/zip-job/states/inherited.test.ts`;
const INHERITED_ANY_ORDER = `${UNIT}/zip-job/inherited-any-order.test.ts`;
const ANY_ORDER = `${UNIT}/zip-job/any-order.test.ts`;
const ACT = `${UNIT}/zip-job/act.test.ts`;
const FOREIGN = `${UNIT}/foreign-objects.test.ts`;
const LEDGER = `${UNIT}/queue/ledger.test.ts`;
const KEY_ORDER = `${UNIT}/queue/key-order.test.ts`;
const LEDGER_PROPERTIES = `${UNIT}/queue/ledger-properties.test.ts`;

/** Mistakes in fencing, ownership and the queue. Each would run or publish an archive that must not be, or lose one. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a status is written to any version of the object',
    file: 'controller/reconciling/apply-status.ts',
    find: 'return { name, namespace, uid, resourceVersion };',
    replace: 'return { name, namespace, uid };',
    tests: [ACT, `${UNIT}/zip-project/reconcile.test.ts`],
  },
  {
    name: 'the slot of a finished job is free while its pod runs',
    file: 'controller/queue/ledger.ts',
    find: 'if (isFinished(object) && !hasActivePod(object)) this.forget(key);',
    replace: 'if (isFinished(object)) this.forget(key);',
    tests: [LEDGER],
  },
  {
    name: 'a pod that runs counts as gone when its job is finished',
    file: 'controller/zip-job/states/awaiting-exit.ts',
    find: ' || (pod && !isEnded(pod) && !isLost(pod, s.now))',
    replace: '',
    tests: [ANY_ORDER, `${UNIT}/zip-job/states/pod-exit.test.ts`],
  },
  {
    name: 'a pod that does not exit after its result is not stopped',
    file: 'controller/zip-job/states/awaiting-exit.ts',
    find: 'actions: deleteJob(ownJob(s.seen)), ',
    replace: '',
    tests: [`${UNIT}/zip-job/states/pod-exit.test.ts`],
  },
  {
    name: 'the next pod is activated before the last attempt is recovered',
    file: 'controller/zip-job/states/active.ts',
    find: 'if (isRecovering(s.status)) return',
    replace: 'if (isRecovering(s.status) && s.seen.pods.length === 0) return',
    tests: [ANY_ORDER],
  },
  {
    name: 'an attempt that may have published its archive counts as failed',
    file: 'controller/zip-job/states/recovering.ts',
    find: 'return isCommitting(upload)',
    replace: "return upload !== 'unrecorded' && upload.state === 'open'",
    tests: [`${UNIT}/zip-job/states/recovering.test.ts`],
  },
  {
    name: 'recovery of a committing attempt gives up at once',
    file: 'controller/zip-job/policies/recovery.ts',
    find: 'lostAt + at.recoveryTimeoutSeconds * 1000',
    replace: 'lostAt',
    tests: [`${UNIT}/zip-job/store-outage.test.ts`],
  },
  {
    name: 'a replaced recovery Job has as much time as the first',
    file: 'controller/zip-job/policies/recovery.ts',
    find: 'first < lostAt + limitMs ? lostAt : first',
    replace: 'first',
    tests: [`${UNIT}/zip-job/states/recovering-open.test.ts`],
  },
  {
    name: 'a committing upload is passed on',
    file: 'controller/zip-job/attempt.ts',
    find: "return recorded.state === 'open' && recorded.checkpoint",
    replace: 'return recorded.checkpoint',
    tests: [INHERITED],
  },
  {
    name: 'an upload that its pod tried to abort is passed on',
    file: 'controller/zip-job/attempt.ts',
    find: "const isLeft = outcome === undefined || outcome === 'kept';",
    replace: 'const isLeft = true;',
    tests: [INHERITED],
  },
  {
    name: 'what a pod inherited is forgotten if it ends before it records an upload',
    file: 'controller/zip-job/attempt.ts',
    find: 'if (!recorded) return inheritedFacts(zipJob);',
    replace: 'if (!recorded) return {};',
    tests: [INHERITED_ANY_ORDER],
  },
  {
    name: 'a job ends between two pods without the recovery of the inherited upload',
    file: 'controller/zip-job/states/ending.ts',
    find: 'withoutHeir(revoke({ ...s, status: withJob(s) }, outcome), s.now)',
    replace: 'revoke({ ...s, status: withJob(s) }, outcome)',
    tests: [INHERITED_ANY_ORDER],
  },
  {
    name: 'a pod becomes active before it may write the ZipCheckpoint',
    file: 'controller/zip-job/states/active.ts',
    find: 'checkpointed === true && { before',
    replace: 'checkpointed === undefined && { before',
    tests: [INHERITED_ANY_ORDER],
  },
  {
    name: 'a crash loop without progress is not counted',
    file: 'controller/zip-job/attempt.ts',
    find: '> (upload.resumedBytes ?? 0)',
    replace: '>= (upload.resumedBytes ?? 0)',
    tests: [INHERITED],
  },
  {
    name: 'the recovery of an inherited upload has no time',
    file: 'controller/zip-job/policies/recovery.ts',
    find: 'const changedAt = inherits && timeOf(',
    replace: 'const changedAt = undefined && timeOf(',
    tests: [`${UNIT}/zip-job/states/between-pods.test.ts`],
  },
  {
    name: 'a copy from a backup runs again',
    file: 'controller/zip-job/policies/restored.ts',
    find: 'return acceptedUid !== uid;',
    replace: 'return false;',
    tests: [`${UNIT}/zip-job/restored.test.ts`],
  },
  {
    name: 'a Job of another owner counts as the own Job',
    file: 'controller/cluster/ownership.ts',
    find: "isZipperJob(job) && (isControlledBy(job, 'ZipJob', zipJob.metadata) || isOrphanOf(job, zipJob));",
    replace: "isZipperJob(job) && zipJob.metadata.name !== '';",
    tests: [`${UNIT}/zip-job/states/queued.test.ts`],
  },
  {
    name: 'a Job of another service account counts as one of ours',
    file: 'controller/cluster/skeletons.ts',
    find: 'if (!isZipperJob(job)) return undefined;',
    replace: '',
    tests: [FOREIGN, `${UNIT}/cluster/ended-skeletons.test.ts`],
  },
  {
    name: 'a pod of another service account counts as one of ours',
    file: 'controller/cluster/skeletons.ts',
    find: 'if (!isZipperPod(pod)) return undefined;',
    replace: '',
    tests: [FOREIGN, `${UNIT}/cluster/ended-skeletons.test.ts`],
  },
  {
    name: 'a pod of another namespace counts as one of the Job',
    file: 'controller/cluster/ownership.ts',
    find: ' &&\n    object.metadata.namespace === owner.namespace',
    replace: '',
    tests: [`${UNIT}/cluster/ownership.test.ts`],
  },
  {
    name: 'a recovery Job of another owner is trusted',
    file: 'controller/zip-job/actions/create-job.ts',
    find: "if (target === 'recover' && !isOwnedBy(made, zipJob))",
    replace: "if (target === 'recover' && made.metadata.name === '')",
    tests: [ACT],
  },
  {
    name: 'a Job is created for a ZipJob that was cancelled meanwhile',
    file: 'controller/zip-job/actions/create-job.ts',
    find: 'live.metadata.resourceVersion === seen.metadata.resourceVersion &&\n        live.metadata.deletionTimestamp === undefined &&\n        live.spec.cancel !== true &&',
    replace: 'live.metadata.deletionTimestamp === undefined &&',
    tests: [ACT],
  },
  {
    name: 'two jobs of one key may be active',
    file: 'controller/queue/key-queue.ts',
    find: 'return this.#active.length === 0 ? this.#waiting.first() : undefined;',
    replace: 'return this.#waiting.first();',
    tests: [`${UNIT}/queue/ledger-keys.test.ts`],
  },
  {
    name: 'the next job of a key is not reconciled when the one before it ends',
    file: 'controller/queue/ledger.ts',
    find: 'else if (next && next.key !== request.key) this.#options.onNext(next.key);',
    replace: '',
    tests: [KEY_ORDER],
  },
  {
    name: 'two ZipBuckets of one bucket are different ones',
    file: 'controller/queue/ledger-entry.ts',
    find: 'place ?? `${UNKNOWN}${bucket}`',
    replace: '`${UNKNOWN}${bucket}`',
    tests: [KEY_ORDER],
  },
  {
    name: 'jobs of two projects wait for each other',
    file: 'controller/queue/key-queue.ts',
    find: 'return this.#of(target).find((queue) => queue.project === project);',
    replace: 'return this.#of(target)[0] ?? (project === target ? undefined : undefined);',
    tests: [KEY_ORDER],
  },
  {
    name: 'every project may exceed the limit in all',
    file: 'controller/queue/queue-order.ts',
    find: 'const most = isFull ? 1 : Infinity;',
    replace: 'const most = isFull ? Infinity : Infinity;',
    tests: [`${UNIT}/queue/extra-slots.test.ts`],
  },
  {
    name: 'a project may run one job more than its limit',
    file: 'controller/queue/queue-order.ts',
    find: 'queue.active < Math.min(most, limits.ofProject(project))',
    replace: 'queue.active < Math.min(most, limits.ofProject(project) + 1)',
    tests: [LEDGER_PROPERTIES],
  },
  {
    name: 'a Job is created without a reservation',
    file: 'controller/zip-job/act.ts',
    find: 'options.ledger.reserve(zipJob).blocked ? { end: AGAIN } : kept(zipJob);',
    replace: 'options.ledger.reserve(zipJob).blocked ? kept(zipJob) : kept(zipJob);',
    tests: [OVERLAPPING],
  },
  {
    name: 'a reservation is given up although the Job may exist',
    file: 'controller/zip-job/actions/create-job.ts',
    find: "if (target === 'archive') options.ledger.hold(zipJob);",
    replace: '',
    tests: [ACT],
  },
  {
    name: 'a Job that the cache lacks counts as missing although the ledger knows it',
    file: 'controller/zip-job/observe.ts',
    find: "position.state === 'running' ||",
    replace: '',
    tests: [`${UNIT}/zip-job/observe.test.ts`],
  },
  {
    name: 'a job that cannot start keeps its reservation',
    file: 'controller/zip-job/decide.ts',
    find: "return slot === 'wait' || state === 'none' ||",
    replace: "return slot !== 'reserve' || state === 'none' ||",
    tests: [OVERLAPPING],
  },
  {
    name: 'a process leads for longer than its lease is valid',
    file: 'controller/reconciling/leader-election.ts',
    find: 'if (ms <= 0) return false;',
    replace: 'if (ms <= 0) return true;',
    tests: [`${UNIT}/reconciling/leader-election.test.ts`],
  },
];

/** Mistakes that break no rule about a single object: every job fails, is skipped or is done twice. */
export const CHAOS_MUTANTS: readonly ChaosMutant[] = [
  {
    name: 'every job fails',
    file: 'controller/zip-job/policies/admission.ts',
    find: 'if (!isJsonObject(metadata))',
    replace: 'if (isJsonObject(metadata))',
    rule: 'F30',
  },
  {
    name: 'every job is skipped',
    file: 'controller/zip-job/policies/interruption.ts',
    find: 'if (zipJob.spec.cancel === true)',
    replace: 'if (zipJob.spec.cancel !== undefined)',
    rule: 'F30',
  },
  {
    name: 'every job is doubled',
    file: 'api/create/claim-zip-job.ts',
    find: 'if (created !== undefined) return',
    // The admission policies of the API's account demand a name of this form, and secrets that are named after it.
    replace:
      'if (created !== undefined)\n      await jobClient.create(JSON.parse(JSON.stringify(job).replaceAll(job.metadata.name, `zip-${crypto.randomUUID()}`)), { signal });\n    if (created !== undefined) return',
    rule: 'F1',
  },
];
