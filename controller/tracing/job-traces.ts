import type { Reason } from '#crds/conditions.ts';
import { uidOf } from '#crds/object-meta.ts';
import { findEndpoint } from '#crds/webhook-endpoints.ts';
import { isFinished, type WebhookState, type ZipJob } from '#crds/zip-job.ts';
import { type ObjectKey, objectKey } from '#runtime/kube/types.ts';
import { isJobSampled, type Span } from '#runtime/tracing/span.ts';
import type { Tracer } from '#runtime/tracing/tracer.ts';
import { deliverySpanId, jobTrace, traceIdOf } from './job-trace.ts';
import { isTraceComplete } from './trace-complete.ts';

/** Finished jobs whose webhook or pod is waited for, and whose deletion would end the wait. */
const MAX_PENDING = 1_000;
/** The original of a copy from a backup had its own trace. */
const RESTORED: Reason = 'Restored';

/** Sends the trace of each finished job once. */
export interface JobTraces {
  /** After a successful write of the status, which only one process can make. */
  note(before: ZipJob, after: ZipJob): void;
  /** The ZipJob does not exist any more. Nothing of a trace that was sent before. */
  gone(key: ObjectKey): void;
  /** The header of the next delivery attempt to an endpoint. Undefined for a job that is not traced. */
  traceparentOf(zipJob: ZipJob, endpoint: string): string | undefined;
}

export function createJobTraces(tracer: Tracer): JobTraces {
  const pending = new Map<ObjectKey, readonly Span[]>();
  function isTraced(zipJob: ZipJob): boolean {
    return isJobSampled(uidOf(zipJob), tracer.ratio) && zipJob.status?.reason !== RESTORED;
  }
  return {
    note: (before, after) => {
      if (!isFinished(after) || isTraceComplete(before) || !isTraced(after)) return;
      const key = objectKey(after);
      if (isTraceComplete(after)) {
        pending.delete(key);
        tracer.add(jobTrace(after));
      } else if (pending.size < MAX_PENDING || pending.has(key)) pending.set(key, jobTrace(after));
    },
    gone: (key) => {
      const spans = pending.get(key);
      pending.delete(key);
      if (spans) tracer.add(spans);
    },
    traceparentOf: (zipJob, endpoint) => {
      if (!isTraced(zipJob)) return undefined;
      const { attempts = 0, replayNonce } =
        findEndpoint<WebhookState>(zipJob.status?.webhook, endpoint) ?? {};
      const spanId = deliverySpanId(zipJob, endpoint, replayNonce === undefined ? attempts + 1 : undefined);
      return `00-${traceIdOf(zipJob)}-${spanId}-01`;
    },
  };
}
