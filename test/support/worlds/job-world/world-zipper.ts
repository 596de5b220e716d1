import { isEnded } from '#controller/kube-state/pod-state.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { CONTRACT_VERSION, EXIT_CODES } from '#crds/zipper-contract.ts';
import { isRecord } from '#runtime/kube/decode.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { type Ending, ended, failureMessage } from '../../builders/pod-statuses.ts';
import { anUpload, aResult, progressOf } from '../../builders/zip-job-statuses.ts';
import type { WorldStore } from './world-store.ts';

const taskOf = (job: Job): Readonly<Record<string, unknown>> => {
  const task: unknown = JSON.parse(job.spec?.template.metadata?.annotations?.[ANNOTATIONS.task] ?? '{}');
  return isRecord(task) ? task : {};
};

type Stage = 'waiting' | 'started' | 'opened' | 'recorded' | 'committing' | 'sent' | 'reported';

/** The parts of the world that a pod can access. */
export interface PodWorld {
  readonly store: WorldStore;
  readonly now: Date;
  pod(name: string): Pod | undefined;
  putPod(pod: Pod): void;
  writeAsZipper(podUid: string, fields: ZipperStatus): boolean;
}

export interface WorldPod {
  readonly pod: Pod;
  /** Its node is lost: it keeps running, and its end is never reported. */
  isLost: boolean;
  /** It makes no progress, but ends when it is stopped. */
  hangs: boolean;
  /** Its current stage, even if it was not reported. */
  readonly at: string;
  isOver: boolean;
  /** Performs its next request. */
  step(): void;
  /** Ends it; with a termination message it cleans up first. */
  end(ending: Ending): void;
}

interface OwnPart {
  at(): string;
  step(): void;
  /** Its cleanup before it ends; returns what it reports. */
  cleanUp(ending: Ending): Ending;
}

/** The common part of both kinds of pods. */
const aProcess = (world: PodWorld, pod: Pod, own: OwnPart): WorldPod => {
  const process: WorldPod = {
    pod,
    isLost: false,
    hangs: false,
    isOver: false,
    get at() {
      return own.at();
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
};

/** When a pod that was not activated exits. */
const startDeadlineOf = ({ now }: PodWorld, job: Job): number =>
  now.getTime() + Number(taskOf(job)['startDeadlineSeconds']) * 1000;

/** One run of the zipper: each step is one request of the real one, and each may be the last. */
export const createZipper = (world: PodWorld, pod: Pod, job: Job): WorldPod => {
  const startBy = startDeadlineOf(world, job);
  const { uid = '' } = pod.metadata;
  const result = aResult({ etag: uid });
  let stage: Stage = 'waiting';
  let uploadId = '';
  const notActive = (): void => {
    process.end({
      exitCode: EXIT_CODES.notActive,
      message: failureMessage('NotActive', { retriable: true }),
    });
  };
  const storeFailed = (): void => {
    process.end({
      exitCode: EXIT_CODES.storeUnavailable,
      message: failureMessage('StoreUnavailable', { retriable: true }),
    });
  };
  const progress = progressOf(uid);
  const write = (next: Stage, fields: object): void => {
    if (world.writeAsZipper(uid, { progress, ...fields })) stage = next;
    else if (stage !== 'waiting' || world.now.getTime() >= startBy) notActive();
  };
  const steps: Readonly<Record<Stage, () => void>> = {
    waiting: () => {
      write('started', {});
    },
    started: () => {
      if (world.store.isAway) {
        storeFailed();
        return;
      }
      uploadId = world.store.create(uid);
      stage = 'opened';
    },
    opened: () => {
      write('recorded', { upload: { ...anUpload('open'), uploadId } });
    },
    recorded: () => {
      write('committing', { upload: { ...anUpload('committing'), uploadId } });
    },
    committing: () => {
      world.store.sendComplete(uploadId);
      stage = 'sent';
    },
    sent: () => {
      if (world.store.isAway || world.store.isPending(uploadId)) return;
      if (!world.store.published.includes(uid)) {
        storeFailed();
        return;
      }
      world.writeAsZipper(uid, { progress, upload: { ...anUpload('committing'), uploadId }, result });
      stage = 'reported';
    },
    reported: () => {
      process.end({
        exitCode: EXIT_CODES.ok,
        message: { contractVersion: CONTRACT_VERSION, mode: 'archive', result },
      });
    },
  };
  const process = aProcess(world, pod, {
    at: () => stage,
    step: () => {
      steps[stage]();
    },
    cleanUp: (ending) => {
      const { message } = ending;
      if (message === undefined || stage === 'sent') return ending;
      if (!world.store.isAway) world.store.abort(uid);
      else if (stage === 'opened' && typeof message === 'object')
        return { ...ending, message: { ...message, abortFailures: 1 } };
      return ending;
    },
  });
  return process;
};

/** A run of the recovery Job: aborts, then reads the object from the store. */
export const createRecover = (world: PodWorld, pod: Pod, job: Job): WorldPod => {
  const attempt = String(taskOf(job)['attempt']);
  let hasAborted = false;
  const outcome = (): RecoveryOutcome => {
    if (world.store.isReadDenied) return { outcome: 'unknown', missingPermission: 's3:GetObject' };
    return world.store.published.includes(attempt)
      ? { outcome: 'published', bytes: 77, etag: attempt }
      : { outcome: 'absent' };
  };
  const respond = (): void => {
    const recovered = outcome();
    const message = { contractVersion: CONTRACT_VERSION, mode: 'recover', recovered } as const;
    const isReported =
      !process.isLost && world.pod(pod.metadata.name)?.metadata.deletionTimestamp === undefined;
    if (isReported && recovered.outcome !== 'unknown') world.store.responded.add(attempt);
    process.end({ exitCode: EXIT_CODES.ok, message });
  };
  const fail = (): void => {
    const failure = { code: 'StoreUnavailable', message: 'the store did not respond', retriable: true };
    process.end({
      exitCode: EXIT_CODES.storeUnavailable,
      message: { contractVersion: CONTRACT_VERSION, mode: 'recover', failure },
    });
  };
  const process = aProcess(world, pod, {
    at: () => (hasAborted ? 'aborted' : 'started'),
    step: () => {
      if (world.store.isAway) fail();
      else if (hasAborted) respond();
      else world.store.abort(attempt);
      hasAborted = true;
    },
    cleanUp: (ending) => ending,
  });
  return process;
};
