import { TERMINATION_MESSAGE_SCHEMA, type TerminationMessage } from '#crds/termination-message.ts';
import type { Failure } from '#crds/zip-job.ts';
import { createDecoder } from '#runtime/config/schema-decoder.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { redactText } from '#runtime/log/redact.ts';
import { terminationOf } from './pod-state.ts';

const decode = createDecoder(TERMINATION_MESSAGE_SCHEMA);

/** Undefined for an invalid message, for example the end of the log after a crash. */
export function parseTerminationMessage(text: string | undefined): TerminationMessage | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    return decode(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What the zipper of a pod reported when it ended; undefined if it has not, or its message is invalid. */
export function terminationMessageOf(pod: Pod | undefined): TerminationMessage | undefined {
  return pod && parseTerminationMessage(terminationOf(pod)?.message);
}

/** True if the pod may have left uploads that no status names. */
export function leavesUploads({ startUnconfirmed, abortFailures = 0 }: TerminationMessage): boolean {
  return startUnconfirmed === true || abortFailures > 0;
}

/** One sentence about a failure, with the index of the file and without secrets of a URL. */
export function describeFailure(
  failureSeen: Pick<Failure, 'code' | 'message' | 'fileIndex' | 'httpStatus'>,
  fallback: string,
): string {
  const status = failureSeen.httpStatus === undefined ? '' : ` (HTTP ${failureSeen.httpStatus})`;
  const text = redactText(failureSeen.message ?? `${fallback}${status}`);
  const file = failureSeen.fileIndex === undefined ? undefined : `file ${failureSeen.fileIndex}`;
  return file === undefined || text.startsWith(file) ? text : `${file}: ${text}`;
}
