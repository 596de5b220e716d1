/** The archiver with ZipJobs in memory, records of them in a cache, and a history in memory. */
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { zipJobSkeleton } from '#controller/cluster/skeletons.ts';
import { createArchiver } from '#controller/history/archiver.ts';
import type { HistoryWrites } from '#controller/history/batch.ts';
import { createOwnerOf, createProjectUids } from '#controller/history/project-uids.ts';
import { createStoreBatch } from '#controller/history/store-batch.ts';
import { createControllerMetrics } from '#controller/metrics.ts';
import { createApplyStatus } from '#controller/reconciling/apply-status.ts';
import type { OwnedStatus } from '#controller/zip-job/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { AppError } from '#runtime/errors.ts';
import type { HistoryEntry } from '#runtime/history/history-job.ts';
import { objectKey } from '#runtime/kube/types.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { createFakeObjectsKeptAs } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aZipJob, aZipProject, NOW } from '#test/support/builders/objects.ts';
import { createVersionedClient } from '#test/support/builders/versioned-client.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

export const PROJECT_UID = '0b0f0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';
const CLUSTER_UID = '0c0f0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c';

export function unavailable(): AppError {
  return new AppError('the database does not respond', { code: 'HistoryUnavailable', retryable: true });
}

export function refused(): AppError {
  return new AppError('a value is wrong', { code: 'HistoryRefused', retryable: false });
}

export function partitionMissing(): AppError {
  return new AppError('no partition', { code: 'HistoryPartitionMissing', retryable: true });
}

/** Rows by uid, and how often each was counted: only an insert counts. As in PostgreSQL, an early entry updates no row. */
function createHistoryInMemory() {
  const rows = new Map<string, HistoryEntry>();
  const calls: string[] = [];
  let inserted = 0;
  let failure: ((call: string, entries: readonly HistoryEntry[]) => Error | undefined) | undefined;
  function call(name: string, entries: readonly HistoryEntry[] = []): void {
    calls.push(entries.length === 0 ? name : `${name} ${entries.map(({ job }) => job.name).join(' ')}`);
    const error = failure?.(name, entries);
    if (error) throw error;
  }
  const writes: HistoryWrites = {
    probe: async () => call('probe'),
    write: async (entries) => {
      call('write', entries);
      for (const entry of entries) {
        if (!rows.has(entry.job.uid)) inserted += 1;
        else if (entry.isEarly === true) continue;
        rows.set(entry.job.uid, entry);
      }
    },
  };
  return {
    writes,
    rows,
    calls,
    inserted: () => inserted,
    failWith: (next: typeof failure) => {
      failure = next;
    },
  };
}

/** A database or a clock instead of those in memory, and the ZipProjects that the cache has at the start. */
interface WorldParts {
  readonly writes?: HistoryWrites;
  readonly clock?: Clock;
  readonly projects?: readonly ZipProject[];
}

/** The ZipProject of the namespace, created this number of seconds ago. */
export function aProject(uid = PROJECT_UID, seconds = 86_400): ZipProject {
  const project = aZipProject();
  return { ...project, metadata: { ...project.metadata, uid, creationTimestamp: ago(seconds) } };
}

export function archiveWorld(change: Parameters<typeof aConfig>[0] = {}, parts: WorldParts = {}) {
  const config = aConfig({ historyHost: 'db.example', ...change });
  const manual = createManualClock(NOW);
  const clock = parts.clock ?? manual;
  const history = createHistoryInMemory();
  const metrics = createControllerMetrics(new Registry());
  const stop = new AbortController();
  const zipJobs = createFakeObjectsKeptAs((zipJob: ZipJob) => zipJobSkeleton(zipJob, true) as ZipJob, {
    onChange: (seen) => archiver.see(seen),
  });
  const archiver = createArchiver({
    config,
    zipJobs: () => zipJobs.reflector,
    clock,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
  });
  const statusWrites: string[] = [];
  const reads: string[] = [];
  const client = createVersionedClient(
    zipJobs as never,
    (_before, { metadata }) => statusWrites.push(metadata.name),
    () => NOW.toISOString(),
  );
  let onStatusWrite: (name: string) => void = () => undefined;
  let onRead: (name: string) => void = () => undefined;
  const applyStatus = createApplyStatus<ZipJob, OwnedStatus>('ZipJob', client);
  const projectUids = createProjectUids();
  function createProject(object: ZipProject): void {
    projectUids.see({ kind: 'set', key: objectKey(object), object, before: undefined });
  }
  function deleteProject(before: ZipProject): void {
    projectUids.see({ kind: 'deleted', key: objectKey(before), before });
  }
  for (const project of parts.projects ?? [aProject()]) createProject(project);
  /** Those that the cache lacks. */
  const liveProjects = new Map<string, ZipProject>();
  const store = createStoreBatch({
    config,
    zipJobs: {
      get: async (namespace, name) => {
        reads.push(name);
        onRead(name);
        return client.get(namespace, name);
      },
    },
    applyStatus: async (zipJob, status) => {
      onStatusWrite(zipJob.metadata.name);
      return applyStatus(zipJob, status);
    },
    ownerOf: createOwnerOf({
      clusterUid: CLUSTER_UID,
      projectUids,
      client: { get: async (namespace) => liveProjects.get(namespace) },
    }),
    writes: parts.writes ?? history.writes,
    metrics,
    clock,
    log: pino({ level: 'silent' }),
  });
  function put(name: string, status: ZipJobStatus, metadata: Partial<ObjectMeta> = {}): ZipJob {
    return zipJobs.put(
      aZipJob({ status, metadata: { name, uid: `uid-${name}`, finalizers: [FINALIZER], ...metadata } }),
    );
  }
  function find(name: string): ZipJob | undefined {
    return zipJobs.all().find((one) => one.metadata.name === name);
  }
  /** Starts the archiver as a leader; ends with the world. */
  function lead(signal = stop.signal): Promise<void> {
    return archiver.run(store, signal);
  }
  function failStatus(fail: (name: string) => void): void {
    onStatusWrite = fail;
  }
  function failReads(fail: (name: string) => void): void {
    onRead = fail;
  }
  return {
    history,
    clock: manual,
    metrics,
    zipJobs,
    archiver,
    createProject,
    deleteProject,
    liveProjects,
    statusWrites,
    put,
    find,
    lead,
    reads,
    failStatus,
    failReads,
    stop,
  };
}

type World = ReturnType<typeof archiveWorld>;

/** For the tests of a describe block: creates worlds like `archiveWorld`, and stops them after each test. */
export function useArchiveWorlds(): typeof archiveWorld {
  const worlds: World[] = [];
  afterEach(() => {
    for (const { stop } of worlds.splice(0)) stop.abort();
  });
  return (...change) => {
    const world = archiveWorld(...change);
    worlds.push(world);
    return world;
  };
}

export function archived(world: World, name: string) {
  return findCondition(world.find(name)?.status?.conditions, 'Archived');
}

/** By reason. */
export async function unstored({ metrics }: World) {
  const { values } = await metrics.history.unstored.get();
  return Object.fromEntries(
    values.filter(({ value }) => value > 0).map(({ labels, value }) => [labels.reason, value]),
  );
}

export function finishedAt(seconds: number, more: ZipJobStatus = {}): ZipJobStatus {
  return finishedAs('Succeeded', { finishedAt: ago(seconds), ...more });
}
