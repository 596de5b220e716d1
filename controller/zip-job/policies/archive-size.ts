/** What follows from the largest archive that a job may have: the parts of its upload, its memory, and its default time limit. */
import type { ZipJobSpec } from '#crds/zip-job.ts';
import { findQuantity } from '#runtime/kube/quantity.ts';
import { JOB_LIMITS } from '#runtime/zip-request/job-limits.ts';
import { partSizeFor, poolBytes } from '#runtime/zip-request/part-sizes.ts';
import { type TaskSettings, ZIPPER_SETTINGS } from '#runtime/zip-request/zipper-settings.ts';

const MIB = 1024 ** 2;
/** The process, TLS and file lists. Measured: docs/performance.md. */
const PROCESS_BYTES = 112 * MIB;
/** Received and sent bytes that were not freed yet. */
const UNCOLLECTED_BYTES = 48 * MIB;
/** What a raised limit has above the request, for the memory that the kernel needs for connections. */
const HEADROOM_BYTES = 256 * MIB;

interface Sized {
  readonly activeDeadlineSeconds: number;
  readonly taskSettings: TaskSettings;
}

/**
 * The settings of a job that may have an archive of this many bytes. ACTIVE_DEADLINE_SECONDS is the time for the archives of the
 * built-in limit; larger ones get proportionally more.
 */
export function settingsFor<C extends Sized>(maxArchiveBytes: number, config: C): C {
  if (maxArchiveBytes === JOB_LIMITS.archiveBytes) return config;
  const upload = { maxArchiveBytes, partSizeBytes: partSizeFor(maxArchiveBytes) };
  return {
    ...config,
    activeDeadlineSeconds: defaultDeadlineSeconds(maxArchiveBytes, config),
    taskSettings: { ...upload, ...config.taskSettings },
  };
}

export function defaultDeadlineSeconds(
  maxArchiveBytes: number,
  { activeDeadlineSeconds }: Pick<Sized, 'activeDeadlineSeconds'>,
): number {
  return Math.ceil(activeDeadlineSeconds * Math.max(1, maxArchiveBytes / JOB_LIMITS.archiveBytes));
}

function bytesOf(settings: TaskSettings, name: string, otherwise: number): number {
  const value = settings[name];
  return typeof value === 'number' ? value : otherwise;
}

/** Bytes of memory that a zipper with these settings requests: those of the process, and its buffers, each at most the archive. */
export function zipperMemoryBytes(settings: TaskSettings): number {
  const maxArchiveBytes = bytesOf(settings, 'maxArchiveBytes', JOB_LIMITS.archiveBytes);
  const partSizeBytes = bytesOf(settings, 'partSizeBytes', partSizeFor(maxArchiveBytes));
  const storeBufferBytes = bytesOf(settings, 'storeBufferBytes', ZIPPER_SETTINGS.storeBufferBytes.default);
  const sourceBufferBytes = bytesOf(settings, 'sourceBufferBytes', ZIPPER_SETTINGS.sourceBufferBytes.default);
  const buffers = [UNCOLLECTED_BYTES, sourceBufferBytes, poolBytes({ partSizeBytes, storeBufferBytes })];
  return buffers.reduce((sum, bytes) => sum + Math.min(bytes, maxArchiveBytes), PROCESS_BYTES);
}

type Resources = NonNullable<ZipJobSpec['resources']>;
type Quantities = NonNullable<Resources['requests']>;

function atLeast(quantities: Quantities, bytes: number, raisedBytes = bytes): Quantities {
  const { memory } = quantities;
  // The API server refuses what is no quantity, and says so.
  const given = memory === undefined ? undefined : findQuantity(String(memory));
  return given === undefined || given >= bytes
    ? quantities
    : { ...quantities, memory: `${Math.ceil(raisedBytes / MIB)}Mi` };
}

/** The resources of a zipper. Memory below that of its buffers would only kill it, so nobody can ask for that. */
export function withLeastMemory({ requests, limits }: Resources, settings: TaskSettings): Resources {
  const bytes = zipperMemoryBytes(settings);
  return {
    ...(requests && { requests: atLeast(requests, bytes) }),
    ...(limits && { limits: atLeast(limits, bytes, bytes + HEADROOM_BYTES) }),
  };
}
