import type { Readable } from 'node:stream';
import { isFinished, type ZipJob } from '#crds/zip-job.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import { cutLine, redactText } from '#runtime/log/redact.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import { explainLogError, findLogPod, type LogOptions, noLog, openPodLog } from './read-job-log.ts';

/** Between two looks for a pod, such as that of the next attempt. */
const INTERVAL_MS = 1_000;
/** A line longer than this is cut before its end has arrived. */
const MAX_PENDING = 1024 * 1024;

function shown(line: string): string {
  return redactText(cutLine(line));
}

async function* linesOf(log: Readable): AsyncGenerator<string, void, undefined> {
  log.setEncoding('utf8');
  let pending = '';
  for await (const piece of log as AsyncIterable<string>) {
    const lines = `${pending}${piece}`.split('\n');
    pending = (lines.pop() ?? '').slice(0, MAX_PENDING);
    for (const line of lines) yield shown(line);
  }
  if (pending !== '') yield shown(pending);
}

export interface FollowOptions extends LogOptions {
  readonly clock: Clock;
  /** Reads the job again. */
  readonly read: () => Promise<ZipJob>;
}

/** Undefined while the container waits to start. */
async function openStarted(
  kube: KubeClient,
  zipJob: ZipJob,
  log: Parameters<typeof openPodLog>[1],
): Promise<Readable | undefined> {
  try {
    return await openPodLog(kube, log);
  } catch (error) {
    if (!isFinished(zipJob) && isKubeError(error, 'BadRequest')) return undefined;
    throw explainLogError(zipJob, log.pod, error);
  }
}

/**
 * The log lines of a job's zipper as they are written, from the last ones on. Waits for the first pod, continues with the pod of the
 * next attempt, and ends when the job is finished.
 * @throws AdministrationError NotFound if the job is finished and has no pod
 */
export async function* followJobLog(
  kube: KubeClient,
  { lines, signal, clock, read }: FollowOptions,
): AsyncGenerator<string, void, undefined> {
  let last: string | undefined;
  for (;;) {
    const zipJob = await read();
    const pod = await findLogPod(kube, zipJob, signal);
    const isNew = pod !== undefined && pod !== last;
    if (isNew) {
      const { namespace } = zipJob.metadata;
      const query = { follow: true, ...(last === undefined && { tailLines: lines }) };
      const log = await openStarted(kube, zipJob, { namespace, pod, query, signal });
      if (log) {
        last = pod;
        yield* linesOf(log);
        continue;
      }
    } else if (isFinished(zipJob)) {
      if (last === undefined) throw noLog(zipJob);
      return;
    }
    await pause(clock, INTERVAL_MS, signal);
    signal.throwIfAborted();
  }
}
