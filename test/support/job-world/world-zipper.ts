import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipperStatus } from '#crds/zip-job.ts';
import { CONTRACT_VERSION, EXIT_CODES } from '#crds/zipper-contract.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { type Ending, ended, failureMessage } from '../pod-statuses.ts';
import { anUpload, aResult, progressOf } from '../zip-job-statuses.ts';
import type { WorldStore } from './world-store.ts';

type Stage = 'waiting' | 'begun' | 'opened' | 'recorded' | 'committing' | 'sent' | 'told';

/** What a pod can reach. */
export interface PodWorld {
  readonly store: WorldStore;
  pod(name: string): Pod | undefined;
  putPod(pod: Pod): void;
  writeAsZipper(podUid: string, fields: ZipperStatus): boolean;
}

export interface WorldPod {
  readonly pod: Pod;
  /** Its node does not answer: nothing that happens to it is ever told. */
  isLost: boolean;
  /** One thing that it does. */
  step(): void;
  /** Ends it; with last words it cleans up before. */
  end(ending: Ending): void;
}

const isOver = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';

/** What both kinds of pods do alike. */
const endIn = (world: PodWorld, name: string, ending: Ending): void => {
  const live = world.pod(name);
  if (live && !isOver(live)) world.putPod({ ...live, status: { ...live.status, ...ended(ending) } });
};

/** One run of the zipper: each step is one request of the real one, and each may be the last. */
export const createZipper = (world: PodWorld, pod: Pod): WorldPod => {
  const { name, uid = '' } = pod.metadata;
  const result = aResult({ etag: uid });
  let stage: Stage = 'waiting';
  let uploadId = '';
  const end = (ending: Ending): void => {
    if (ending.message !== undefined && stage !== 'sent') world.store.abort(uid);
    endIn(world, name, ending);
  };
  const superseded = (): void => {
    end({ exitCode: EXIT_CODES.notInCharge, message: failureMessage('NotInCharge', { retriable: true }) });
  };
  const progress = progressOf(uid);
  const write = (next: Stage, fields: object): void => {
    if (world.writeAsZipper(uid, { progress, ...fields })) stage = next;
    else if (stage !== 'waiting') superseded();
  };
  const steps: Readonly<Record<Stage, () => void>> = {
    waiting: () => {
      write('begun', {});
    },
    begun: () => {
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
      stage = 'told';
    },
    told: () => {
      end({
        exitCode: EXIT_CODES.ok,
        message: { contractVersion: CONTRACT_VERSION, mode: 'archive', result },
      });
    },
  };
  return {
    pod,
    isLost: false,
    step: () => {
      steps[stage]();
    },
    end,
  };
};

const attemptOf = (job: Job): string => {
  const task: unknown = JSON.parse(job.spec?.template.metadata?.annotations?.[ANNOTATIONS.task] ?? '{}');
  return typeof task === 'object' && task !== null && 'attempt' in task ? String(task.attempt) : '';
};

/** A run of the settle Job: aborts, then asks the store. */
export const createSettler = (world: PodWorld, pod: Pod, job: Job): WorldPod => {
  const { name } = pod.metadata;
  const attempt = attemptOf(job);
  let hasAborted = false;
  const answer = (): void => {
    const settled = world.store.published.includes(attempt)
      ? ({ outcome: 'published', bytes: 77, etag: attempt } as const)
      : ({ outcome: 'absent' } as const);
    const message = { contractVersion: CONTRACT_VERSION, mode: 'settle', settled } as const;
    if (world.pod(name)?.metadata.deletionTimestamp === undefined) world.store.answered.add(attempt);
    endIn(world, name, { exitCode: EXIT_CODES.ok, message });
  };
  return {
    pod,
    isLost: false,
    step: () => {
      if (hasAborted) answer();
      else world.store.abort(attempt);
      hasAborted = true;
    },
    end: (ending) => {
      endIn(world, name, ending);
    },
  };
};
