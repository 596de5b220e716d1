import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { CONTRACT_VERSION, EXIT_CODES } from '#crds/zipper-contract.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { type Ending, ended, failureMessage } from '../../builders/pod-statuses.ts';
import { anUpload, aResult, progressOf } from '../../builders/zip-job-statuses.ts';
import type { WorldStore } from './world-store.ts';

type Stage = 'waiting' | 'started' | 'opened' | 'recorded' | 'committing' | 'sent' | 'reported';

/** The parts of the world that a pod can access. */
export interface PodWorld {
  readonly store: WorldStore;
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
  /** Its cleanup before it ends. */
  cleanUp(ending: Ending): void;
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
      own.cleanUp(ending);
      const live = world.pod(pod.metadata.name);
      if (live && !process.isLost) world.putPod({ ...live, status: { ...live.status, ...ended(ending) } });
    },
  };
  return process;
};

/** One run of the zipper: each step is one request of the real one, and each may be the last. */
export const createZipper = (world: PodWorld, pod: Pod): WorldPod => {
  const { uid = '' } = pod.metadata;
  const result = aResult({ etag: uid });
  let stage: Stage = 'waiting';
  let uploadId = '';
  const superseded = (): void => {
    process.end({
      exitCode: EXIT_CODES.notActive,
      message: failureMessage('NotActive', { retriable: true }),
    });
  };
  const progress = progressOf(uid);
  const write = (next: Stage, fields: object): void => {
    if (world.writeAsZipper(uid, { progress, ...fields })) stage = next;
    else if (stage !== 'waiting') superseded();
  };
  const steps: Readonly<Record<Stage, () => void>> = {
    waiting: () => {
      write('started', {});
    },
    started: () => {
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
      if (!world.store.published.includes(uid)) return;
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
    cleanUp: ({ message }) => {
      if (message !== undefined && stage !== 'sent') world.store.abort(uid);
    },
  });
  return process;
};

const attemptOf = (job: Job): string => {
  const task: unknown = JSON.parse(job.spec?.template.metadata?.annotations?.[ANNOTATIONS.task] ?? '{}');
  return typeof task === 'object' && task !== null && 'attempt' in task ? String(task.attempt) : '';
};

/** A run of the recovery Job: aborts, then reads the object from the store. */
export const createRecover = (world: PodWorld, pod: Pod, job: Job): WorldPod => {
  const attempt = attemptOf(job);
  let hasAborted = false;
  const respond = (): void => {
    const recovered = world.store.published.includes(attempt)
      ? ({ outcome: 'published', bytes: 77, etag: attempt } as const)
      : ({ outcome: 'absent' } as const);
    const message = { contractVersion: CONTRACT_VERSION, mode: 'recover', recovered } as const;
    const isReported =
      !process.isLost && world.pod(pod.metadata.name)?.metadata.deletionTimestamp === undefined;
    if (isReported) world.store.responded.add(attempt);
    process.end({ exitCode: EXIT_CODES.ok, message });
  };
  const process = aProcess(world, pod, {
    at: () => (hasAborted ? 'aborted' : 'started'),
    step: () => {
      if (hasAborted) respond();
      else world.store.abort(attempt);
      hasAborted = true;
    },
    cleanUp: () => undefined,
  });
  return process;
};
