import { isFinished, type Phase, SPEC_DEFAULTS, type ZipJob } from '#crds/zip-job.ts';

/** What a read response contains without `expand`. */
export interface JobResponse {
  readonly name: string;
  /** Undefined for a job that was not reconciled yet. */
  readonly phase: Phase | undefined;
  /** JSON text of an object. */
  readonly metadata: string;
}

/** Responses of finished jobs, which no longer change. Clients read a job soon after it finishes, and rarely later. */
export interface KeptResponses {
  /** Does nothing for an unfinished job. */
  keep(job: ZipJob): void;
  /** By the uid of the ZipJob, so that a response is never of another job with the same name. */
  of(uid: string | undefined): JobResponse | undefined;
}

export function responseOf({ metadata, spec, status }: ZipJob): JobResponse {
  return {
    name: metadata.name,
    phase: status?.phase,
    metadata: spec.metadata ?? SPEC_DEFAULTS.metadata,
  };
}

/** A key, two objects and a short text. */
const ENTRY_BYTES = 250;

/** V8 uses two bytes for each character of a text outside of Latin-1. */
function bytesOf({ metadata }: JobResponse): number {
  return ENTRY_BYTES + 2 * metadata.length;
}

/** Keeps at most about `maxBytes`; the first one kept is dropped first. */
export function createKeptResponses({ maxBytes }: { readonly maxBytes: number }): KeptResponses {
  const kept = new Map<string, JobResponse>();
  let bytes = 0;
  function drop(uid: string): void {
    const response = kept.get(uid);
    if (response === undefined) return;
    bytes -= bytesOf(response);
    kept.delete(uid);
  }
  return {
    keep: (job) => {
      const { uid } = job.metadata;
      if (uid === undefined || !isFinished(job)) return;
      drop(uid);
      const response = responseOf(job);
      kept.set(uid, response);
      bytes += bytesOf(response);
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    of: (uid) => (uid === undefined ? undefined : kept.get(uid)),
  };
}
