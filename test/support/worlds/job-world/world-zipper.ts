import { isEnded } from '#controller/cluster/pod-state.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { TerminationMessage } from '#crds/termination-message.ts';
import type { InheritedUpload, UploadState, ZipJob, ZipperStatus } from '#crds/zip-job.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { assemblyMs } from '#zipper-image/store/evidence.ts';
import type { createFakeCheckpoints } from '../../builders/fake-checkpoints.ts';
import { type Ending, ended, failureMessage } from '../../builders/pod-statuses.ts';
import { anUpload, aResult, progressOf } from '../../builders/zip-job-statuses.ts';
import type { WorldStore } from './world-store.ts';

export function taskOf(job: Job): Readonly<Record<string, unknown>> {
  const task: unknown = JSON.parse(job.spec?.template.metadata?.annotations?.[ANNOTATIONS.task] ?? '{}');
  return isRecord(task) ? task : {};
}

type Stage = 'waiting' | 'started' | 'discarded' | 'opened' | 'recorded' | 'committing' | 'sent' | 'reported';

/** The response of the API server to a status write of a pod. */
export type Written = 'written' | 'notActive' | 'refused';

/** The parts of the world that a pod can access. */
export interface PodWorld {
  readonly store: WorldStore;
  readonly now: Date;
  readonly zipJob: ZipJob | undefined;
  readonly checkpoints: ReturnType<typeof createFakeCheckpoints>;
  pod(name: string): Pod | undefined;
  putPod(pod: Pod): void;
  writeAsZipper(podUid: string, fields: ZipperStatus): Written;
}

export interface WorldPod {
  readonly pod: Pod;
  /** Its node is lost: it keeps running, and its end is never reported. */
  isLost: boolean;
  /** It makes no progress, but ends when it is stopped. */
  hangs: boolean;
  /** Its current stage, even if it was not reported. */
  readonly at: string;
  /** When it continues, if it only waits. */
  readonly wakesAt: Date | undefined;
  isOver: boolean;
  /** Performs its next request. */
  step(): void;
  /** Ends it; with a termination message it cleans up first. */
  end(ending: Ending): void;
}

interface OwnPart {
  at(): string;
  wakesAt?(): Date | undefined;
  step(): void;
  /** Its cleanup before it ends; returns what it reports. */
  cleanUp(ending: Ending): Ending;
}

/** The common part of both kinds of pods. */
export function aProcess(world: PodWorld, pod: Pod, own: OwnPart): WorldPod {
  const process: WorldPod = {
    pod,
    isLost: false,
    hangs: false,
    isOver: false,
    get at() {
      return own.at();
    },
    get wakesAt() {
      return process.isOver || process.hangs ? undefined : own.wakesAt?.();
    },
    step: () => {
      if (!process.isOver && !process.hangs) own.step();
    },
    end: (ending) => {
      if (process.isOver) return;
      process.isOver = true;
      const reported = own.cleanUp(ending);
      const live = world.pod(pod.metadata.name);
      // The end of a pod is reported once.
      if (live && !isEnded(live) && !process.isLost)
        world.putPod({ ...live, status: { ...live.status, ...ended(reported) } });
    },
  };
  return process;
}

/** How long the responses of the store may show an earlier state. */
export const CONSISTENCY_MS = 15_000;
/** STORE_RETRY_LIMIT_MS. */
const STORE_LIMIT_MS = 600_000;
/** STATUS_REFUSAL_LIMIT_MS. */
const REFUSAL_LIMIT_MS = 30_000;
/** Its assembly takes ten minutes at the slowest rate. */
export const ARCHIVE = { bytes: 600 * 20 * 1024 * 1024, entries: 3 } as const;

/** Parts of an archive, and their size. */
const PARTS = 3;
const PART_BYTES = 500;

type FailureMessage = Extract<TerminationMessage, { failure: unknown }>;

/** The next pod may continue the upload. A superseded pod says nothing about it, because it may be that of another by now. */
function keeping(ending: Ending, message: FailureMessage): Ending {
  if (ending.exitCode === EXIT_CODES.superseded) return ending;
  const exitCode = ending.exitCode === EXIT_CODES.terminated ? EXIT_CODES.checkpointed : ending.exitCode;
  return { exitCode, message: { ...message, failure: { ...message.failure, upload: 'kept' } } };
}

function isRetriable({ exitCode, message }: Ending): boolean {
  if (exitCode === EXIT_CODES.terminated) return true;
  return typeof message === 'object' && 'failure' in message && message.failure.retriable === true;
}

function transient(code: string) {
  return failureMessage(code, { retriable: true });
}

/** When a pod that was not activated exits. */
function startDeadlineOf({ now }: PodWorld, job: Job): number {
  return now.getTime() + Number(taskOf(job)['startDeadlineSeconds']) * 1000;
}

/** Something that has lasted since a time. */
class Lasting {
  #since: number | undefined;

  /** When it will have lasted for this long, while it lasts. */
  until(ms: number): Date | undefined {
    return this.#since === undefined ? undefined : new Date(this.#since + ms);
  }

  /** Whether it has lasted for this long. */
  note(isSo: boolean, now: Date, ms: number): boolean {
    this.#since = isSo ? (this.#since ?? now.getTime()) : undefined;
    return this.#since !== undefined && now.getTime() >= this.#since + ms;
  }
}

/** The first of the times that is still to come. */
function nextOf(now: Date, ...times: readonly (Date | undefined)[]): Date | undefined {
  return times
    .filter((time) => time !== undefined && time > now)
    .toSorted((one, other) => Number(one) - Number(other))[0];
}

/** One run of the zipper: each step is one request of the real one, and each may be the last. */
class WorldZipper implements OwnPart {
  readonly #world: PodWorld;
  readonly #uid: string;
  readonly #startBy: number;
  readonly #away = new Lasting();
  readonly #refused = new Lasting();
  readonly #end: (ending: Ending) => void;
  #stage: Stage = 'waiting';
  #uploadId = '';
  /** Pod that created the upload, and what it has of earlier pods. */
  #owner: string;
  #kept: Pick<UploadState, 'resumedParts' | 'resumedBytes' | 'refusal'> = {};
  #parts = 0;
  /** Sequence of the newest checkpoint of the upload. */
  #checkpoint: number | undefined;
  #runsUntil: Date | undefined;

  constructor(world: PodWorld, { uid, job }: { uid: string; job: Job }, end: (ending: Ending) => void) {
    this.#world = world;
    this.#uid = uid;
    this.#owner = uid;
    this.#startBy = startDeadlineOf(world, job);
    this.#end = end;
  }

  at(): string {
    return this.#stage;
  }

  wakesAt(): Date | undefined {
    const { now } = this.#world;
    const [away, refused] = [this.#away.until(STORE_LIMIT_MS), this.#refused.until(REFUSAL_LIMIT_MS)];
    return nextOf(now, away, refused, this.#runsUntil);
  }

  step(): void {
    const { store, now } = this.#world;
    const needsStore = ['started', 'discarded', 'recorded'].includes(this.#stage);
    if (this.#away.note(needsStore && store.isAway, now, STORE_LIMIT_MS)) this.#storeFailed();
    else if (!needsStore || !store.isAway) this.#steps[this.#stage]();
  }

  /** It aborts its upload unless it sent Complete, and says so. */
  cleanUp(ending: Ending): Ending {
    const { message } = ending;
    const isStarted = ['opened', 'recorded', 'committing'].includes(this.#stage);
    if (typeof message !== 'object' || !('failure' in message) || !isStarted) return ending;
    return this.#checkpoint !== undefined && isRetriable(ending)
      ? keeping(ending, message)
      : this.#aborting(ending, message);
  }

  #aborting(ending: Ending, message: FailureMessage): Ending {
    const { store } = this.#world;
    const isGone =
      !store.isAway && store.abort(this.#uploadId) !== 'refused' && !store.uploads.has(this.#uploadId);
    const failure = { ...message.failure, upload: isGone ? 'aborted' : 'open' } as const;
    const isLeft = !isGone && this.#stage === 'opened';
    return { ...ending, message: { ...message, failure, ...(isLeft && { abortFailures: 1 }) } };
  }

  #storeFailed(): void {
    this.#end({ exitCode: EXIT_CODES.storeUnavailable, message: transient('StoreUnavailable') });
  }

  #write(next: Stage, fields: object): void {
    const { now } = this.#world;
    const progress = { ...progressOf(this.#uid), bytesUploaded: this.#parts * PART_BYTES };
    const written = this.#world.writeAsZipper(this.#uid, { progress, ...fields });
    const isTooLong = this.#refused.note(written === 'refused', now, REFUSAL_LIMIT_MS);
    if (written === 'written') this.#stage = next;
    else if (this.#stage === 'waiting' && now.getTime() >= this.#startBy)
      this.#end({ exitCode: EXIT_CODES.notActive, message: transient('NotActive') });
    else if (this.#stage !== 'waiting' && (written === 'notActive' || isTooLong))
      this.#end({ exitCode: EXIT_CODES.superseded, message: transient('Superseded') });
  }

  readonly #steps: Readonly<Record<Stage, () => void>> = {
    waiting: () => {
      this.#write('started', {});
    },
    started: () => {
      const inherits = this.#world.zipJob?.status?.inherits;
      if (inherits && this.#checkpoint === undefined && this.#kept.refusal === undefined)
        this.#adopt(inherits);
      else {
        this.#uploadId = this.#world.store.create(this.#uid);
        this.#owner = this.#uid;
        this.#stage = 'opened';
      }
    },
    discarded: () => {
      this.#world.store.abort(this.#uploadId);
      this.#kept = { refusal: 'NoCheckpoint' };
      this.#stage = 'started';
    },
    opened: () => {
      this.#write('recorded', { upload: this.#upload('open') });
    },
    recorded: () => {
      if (this.#world.zipJob?.status?.checkpointed === true && this.#parts < PARTS) this.#save();
      else this.#write('committing', { upload: this.#committing });
    },
    committing: () => {
      this.#world.store.sendComplete(this.#uploadId);
      this.#runsUntil = new Date(this.#world.now.getTime() + assemblyMs(ARCHIVE.bytes, CONSISTENCY_MS));
      this.#stage = 'sent';
    },
    sent: () => {
      this.#followComplete();
    },
    reported: () => {
      const result = aResult({ etag: this.#owner, ...ARCHIVE });
      this.#end({
        exitCode: EXIT_CODES.ok,
        message: { contractVersion: CONTRACT_VERSION, mode: 'archive', result },
      });
    },
  };

  /** Continues the upload of an earlier pod, or gives it up, which it records before it aborts it. */
  #adopt({ uploadId, owner }: InheritedUpload): void {
    const { checkpoints, store } = this.#world;
    const status = checkpoints.read(this.#uid)?.status;
    this.#uploadId = uploadId;
    this.#owner = owner;
    if (status?.uploadId !== uploadId || !store.uploads.has(uploadId)) {
      this.#write('discarded', { upload: this.#upload('discarded') });
      return;
    }
    this.#checkpoint = status.sequence;
    this.#parts = Number(status.records);
    this.#kept = { resumedParts: this.#parts, resumedBytes: this.#parts * PART_BYTES };
    this.#stage = 'opened';
  }

  /** Confirms a part, and records it. */
  #save(): void {
    const { checkpoints } = this.#world;
    const sequence = (checkpoints.read(this.#uid)?.status?.sequence ?? 0) + 1;
    const isWritten = checkpoints.write(this.#uid, {
      sequence,
      uploadId: this.#uploadId,
      owner: this.#owner,
      plan: '0'.repeat(64),
      records: String(this.#parts + 1),
    });
    this.#parts += 1;
    if (isWritten) this.#checkpoint = sequence;
    this.#write('recorded', { upload: this.#upload('open') });
  }

  #upload(state: UploadState['state']): UploadState {
    return {
      ...anUpload(state),
      uploadId: this.#uploadId,
      ...(this.#owner !== this.#uid && { owner: this.#owner }),
      ...(this.#checkpoint !== undefined && { checkpoint: this.#checkpoint }),
      ...this.#kept,
    };
  }

  get #committing() {
    const recorded = { parts: 1, partsDigest: '0'.repeat(64), archive: ARCHIVE };
    return { ...this.#upload('committing'), ...recorded };
  }

  /** Asks until the object shows, or could have been assembled. */
  #followComplete(): void {
    const { store, now } = this.#world;
    if (store.isAway || store.isPending(this.#uploadId)) return;
    const object = store.object(this.#owner);
    if (object === 'ours' || (object === 'denied' && store.published.includes(this.#owner))) {
      const result = aResult({ etag: this.#owner, ...ARCHIVE });
      const fields = { progress: progressOf(this.#uid), upload: this.#committing, result };
      if (this.#world.writeAsZipper(this.#uid, fields) !== 'refused') this.#stage = 'reported';
      return;
    }
    const isOver = this.#runsUntil !== undefined && now >= this.#runsUntil;
    if (isOver) this.#end({ exitCode: EXIT_CODES.outcomeUnknown, message: transient('OutcomeUnknown') });
  }
}

export function createZipper(world: PodWorld, pod: Pod, job: Job): WorldPod {
  const { uid = '' } = pod.metadata;
  const own = new WorldZipper(world, { uid, job }, (ending) => process.end(ending));
  const process: WorldPod = aProcess(world, pod, own);
  return process;
}
