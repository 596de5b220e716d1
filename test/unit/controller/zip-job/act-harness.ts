/** `act` with in-memory clients and a real ledger. */

import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createLedger } from '#controller/queue/ledger.ts';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import type { EventNote } from '#controller/reconciling/events.ts';
import { createFinalizers } from '#controller/reconciling/finalizers.ts';
import { createAct } from '#controller/zip-job/act.ts';
import { archiveJob } from '#controller/zip-job/manifest/job-manifest.ts';
import { createMemory } from '#controller/zip-job/memory.ts';
import type { Decision } from '#controller/zip-job/observation.ts';
import { acceptance } from '#controller/zip-job/policies/restored.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Job, Pod, Secret } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeCheckpoints } from '#test/support/builders/fake-checkpoints.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipBucket, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { NO_QUOTA_ROOM } from '#test/support/builders/quota-room.ts';
import { createVersionedClient, type VersionedClient } from '#test/support/builders/versioned-client.ts';

export const KEY = `${NAMESPACE}/${NAME}`;
export const config = aConfig();

function aLedger(inAll = 1) {
  return createLedger({
    limits: { inAll, perBucket: 1, ofProject: () => 1, isHeld: () => false },
    trustedQueues: [],
    pause: { reason: undefined },
    rate: { perSecond: 1, burst: 100 },
    clock: createManualClock(),
    physicalBucket: () => undefined,
    onReserved: () => undefined,
    onNext: () => undefined,
  });
}

export function setUp(zipJob: ZipJob = aZipJob()) {
  const zipJobs = createFakeObjects<ZipJob>();
  const jobs = createFakeObjects<Job>();
  const pods = createFakeObjects<Pod>();
  const secrets = createFakeObjects<Secret>();
  const stored = zipJobs.put(zipJob);
  const reported: EventNote[] = [];
  const endpoints: unknown[] = [];
  const memory = createMemory(() => stored);
  const registry = new Registry();
  const metrics = createControllerMetrics(registry);
  const ledger = aLedger();
  const client = createVersionedClient(
    zipJobs,
    () => undefined,
    () => '2026-05-04T12:00:00Z',
  );
  let conflicts = 0;
  const apply: VersionedClient['apply'] = async (...call) => {
    try {
      return await client.apply(...call);
    } catch (error) {
      if (isKubeError(error, 'Conflict')) conflicts += 1;
      throw error;
    }
  };
  const patches: unknown[] = [];
  let patchError: Error | undefined;
  const mergePatch: VersionedClient['mergePatch'] = (target, patch) => {
    patches.push(patch);
    if (patchError) return Promise.reject(patchError);
    return client.mergePatch(target, patch);
  };
  const done: string[] = [];
  let checkpointError: Error | undefined;
  const checkpoints = createFakeCheckpoints();
  const act = createAct({
    config,
    kube: { objectMetadata: undefined },
    checkpoints: {
      apply: (object, options) => {
        done.push(`apply ZipCheckpoint ${JSON.stringify(object['spec'])}`);
        if (checkpointError) return Promise.reject(checkpointError);
        return checkpoints.client.apply(object, options);
      },
      delete: (namespace, name) => {
        done.push('delete ZipCheckpoint');
        if (checkpointError) return Promise.reject(checkpointError);
        return checkpoints.client.delete(namespace, name);
      },
    },
    zipJobs: { ...client, mergePatch },
    applyStatus: (zipJob, status) => {
      done.push('write status');
      return createApplyStatus('ZipJob', { apply })(zipJob, status);
    },
    finalizers: createFinalizers({
      kind: 'ZipJob',
      client: { mergePatch },
      annotations: acceptance,
      metrics,
    }),
    jobs: jobs.client,
    pods: pods.client,
    secrets: secrets.client,
    quotaRoom: NO_QUOTA_ROOM,
    memory,
    ledger,
    recordEvent: (_zipJob, note) => {
      reported.push(note);
    },
    dispatcher: {
      submit: () => undefined,
      state: () => ({ kind: 'idle' }),
      acknowledge: () => undefined,
      endpoints: () => [],
      waiting: 0,
    },
    endpointNotes: {
      add: (namespace, { endpoint, delivery }) => {
        endpoints.push([namespace, endpoint, delivery.status]);
      },
    },
    planDelivery: () => ({
      key: '',
      name: DEFAULT_ENDPOINT,
      attemptId: '',
      isWanted: () => true,
      project: NAMESPACE,
      endpoint: '',
      send: () => Promise.reject(new Error('no')),
    }),
    metrics,
    clock: createManualClock(),
    log: pino({ level: 'silent' }),
  });
  return {
    act,
    zipJobs,
    jobs,
    secrets,
    stored,
    reported,
    memory,
    ledger,
    metrics,
    registry,
    patches,
    endpoints,
    /** Calls about the ZipCheckpoint and writes of the status, in order. */
    done,
    checkpoints,
    failCheckpoints: (error: Error | undefined) => {
      checkpointError = error;
    },
    conflicts: () => conflicts,
    failPatches: (error: Error) => {
      patchError = error;
    },
  };
}

export function decision(more: Partial<Decision>): Decision {
  return { actions: [], events: [], ...more };
}

export function create(zipJob: ZipJob) {
  return { kind: 'createJob', target: 'archive', job: archiveJob(zipJob, aZipBucket(), config) } as const;
}
