import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { assemblyMs, judge, type Verdict } from '#zipper-image/store/evidence.ts';
import type { Ending } from '../../builders/pod-statuses.ts';
import type { WorldObject } from './world-store.ts';
import { ARCHIVE, aProcess, CONSISTENCY_MS, type PodWorld, taskOf, type WorldPod } from './world-zipper.ts';

/** RECOVERY_LIMIT_MS. */
const RECOVERY_LIMIT_MS = 110_000;

interface RecoveryProcess {
  readonly isReported: () => boolean;
  readonly end: (ending: Ending) => void;
}

/** A run of the recovery Job: completes or aborts, follows the upload and the object, and lets the real module decide. */
class WorldRecovery {
  readonly #world: PodWorld;
  readonly #process: RecoveryProcess;
  readonly #task: Readonly<Record<string, unknown>>;
  readonly #startedAt: number;
  #runsUntil: number;
  #before: 'present' | 'gone' | undefined;
  #isAborted = false;
  #isSent = false;
  /** `sent`: it completes the upload, as the pod did. `over`: it aborts the upload. */
  #finish: 'no' | 'wanted' | 'sent' | 'over';
  #goneSince: number | undefined;

  constructor(world: PodWorld, job: Job, process: RecoveryProcess) {
    this.#world = world;
    this.#process = process;
    this.#task = taskOf(job);
    this.#startedAt = world.now.getTime();
    this.#finish = 'finish' in this.#task ? 'wanted' : 'no';
    const { endedAgeSeconds, bytes } = this.#task;
    this.#runsUntil =
      this.#startedAt - Number(endedAgeSeconds) * 1000 + assemblyMs(Number(bytes ?? 0), CONSISTENCY_MS);
  }

  at(): string {
    return this.#finish === 'sent' ? 'completing' : (this.#before ?? 'started');
  }

  wakesAt(): Date | undefined {
    const now = this.#world.now.getTime();
    const consistentAt = (this.#goneSince ?? this.#startedAt) + CONSISTENCY_MS;
    const times = [consistentAt, this.#runsUntil, this.#startedAt + RECOVERY_LIMIT_MS];
    const next = Math.min(...times.filter((time) => time > now));
    return Number.isFinite(next) ? new Date(next) : undefined;
  }

  step(): void {
    const { store, now } = this.#world;
    const isOutOfTime = now.getTime() >= this.#startedAt + RECOVERY_LIMIT_MS;
    if (store.isAway) this.#fail('the store did not respond');
    else if (isOutOfTime) this.#fail('the store may still be assembling the archive');
    else if (this.#before === undefined) {
      this.#sweep();
      this.#before = this.#presence;
    } else if (this.#finish === 'wanted') this.#complete();
    else if (this.#finish === 'sent') this.#followComplete();
    else this.#round();
  }

  cleanUp(ending: Ending): Ending {
    return ending;
  }

  get #attempt(): string {
    return String(this.#task['attempt']);
  }

  get #presence(): 'present' | 'gone' {
    return this.#world.store.uploads.has(String(this.#task['uploadId'])) ? 'present' : 'gone';
  }

  /** Uploads without a record that started before this task was written. Nothing in a listing says whose they are. */
  #sweep(): void {
    const { store } = this.#world;
    const { since, endedAt, endedAgeSeconds } = this.#task;
    const writtenAt = Date.parse(String(endedAt)) + Number(endedAgeSeconds) * 1000;
    for (const [id, { startedAt }] of store.uploads)
      if (id !== this.#task['uploadId'] && startedAt >= Date.parse(String(since)) && startedAt <= writtenAt)
        store.abort(id);
  }

  /** Completes an upload that the store lists, unless the archive is there already. */
  #complete(): void {
    const { store, now } = this.#world;
    if (this.#presence === 'gone' || store.object(this.#attempt) === 'ours') {
      this.#finish = 'over';
      return;
    }
    store.sendComplete(String(this.#task['uploadId']));
    this.#isSent = true;
    this.#runsUntil = now.getTime() + assemblyMs(ARCHIVE.bytes, CONSISTENCY_MS);
    this.#finish = 'sent';
  }

  /** Asks until the object shows, or could have been assembled. */
  #followComplete(): void {
    const { store, now } = this.#world;
    const object = store.object(this.#attempt);
    if (object === 'ours') this.#respond(this.#outcomeOf('published', object));
    else if (object === 'denied' || now.getTime() >= this.#runsUntil) this.#finish = 'over';
  }

  #round(): void {
    const { store, now } = this.#world;
    if (this.#task['uploadState'] === 'unrecorded') {
      this.#respond({ outcome: 'absent' });
      return;
    }
    const aborted = store.abort(String(this.#task['uploadId']));
    if (this.#task['uploadState'] === 'open') {
      this.#respond({ outcome: 'absent' });
      return;
    }
    this.#isAborted ||= aborted === 'accepted' && this.#before === 'present';
    if (aborted === 'gone' && this.#before === 'present')
      this.#runsUntil = now.getTime() + assemblyMs(ARCHIVE.bytes, CONSISTENCY_MS);
    this.#before = this.#presence;
    this.#goneSince = this.#before === 'gone' ? (this.#goneSince ?? now.getTime()) : undefined;
    this.#judge(aborted);
  }

  #judge(aborted: string): void {
    const { store, now } = this.#world;
    const object = store.object(this.#attempt);
    const isConsistent = now.getTime() >= (this.#goneSince ?? this.#startedAt) + CONSISTENCY_MS;
    const verdict = judge({
      object,
      upload: this.#presence,
      isAborted: this.#isAborted,
      isConsistent,
      mayRun: !isConsistent || (this.#presence === 'gone' && now.getTime() < this.#runsUntil),
      isAcknowledged: false,
    });
    if (verdict === 'open' && aborted !== 'refused') this.#fail('the store still has the upload');
    else if (verdict !== 'running') this.#respond(this.#outcomeOf(verdict, object));
  }

  #outcomeOf(verdict: Exclude<Verdict, 'running'>, object: WorldObject): RecoveryOutcome {
    switch (verdict) {
      case 'published':
        return { outcome: 'published', bytes: ARCHIVE.bytes, etag: this.#attempt };
      case 'absent':
        return { outcome: 'absent' };
      case 'open':
        return { outcome: 'unknown', missingPermission: 's3:AbortMultipartUpload' };
      case 'unknown':
        return object === 'denied'
          ? { outcome: 'unknown', missingPermission: 's3:GetObject' }
          : { outcome: 'unknown', goneBeforeAbort: true };
    }
  }

  #respond(recovered: RecoveryOutcome): void {
    if (this.#process.isReported() && recovered.outcome !== 'unknown')
      this.#world.store.responded.add(this.#attempt);
    const message = { contractVersion: CONTRACT_VERSION, mode: 'recover', recovered } as const;
    this.#process.end({ exitCode: EXIT_CODES.ok, message });
  }

  #fail(text: string): void {
    const failure = { code: 'StoreUnavailable', message: text, retriable: true };
    this.#process.end({
      exitCode: EXIT_CODES.storeUnavailable,
      message: {
        contractVersion: CONTRACT_VERSION,
        mode: 'recover',
        failure,
        ...(this.#isSent && { completeSent: true }),
      },
    });
  }
}

export function createRecover(world: PodWorld, pod: Pod, job: Job): WorldPod {
  const own = new WorldRecovery(world, job, {
    end: (ending) => process.end(ending),
    isReported: () =>
      !process.isLost && world.pod(pod.metadata.name)?.metadata.deletionTimestamp === undefined,
  });
  const process: WorldPod = aProcess(world, pod, own);
  return process;
}
