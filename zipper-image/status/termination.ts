import { writeFile } from 'node:fs/promises';
import type { TerminationMessage } from '#crds/termination-message.ts';

/** The kubelet truncates longer messages. */
const MOST_BYTES = 4096;

/** Lists of indexes can be long. The status contains them in full. */
function withoutLists(message: TerminationMessage): TerminationMessage {
  if (!('result' in message)) return message;
  const {
    skipped: _skipped,
    lengthUnverified: _lengthUnverified,
    contentEncoded: _contentEncoded,
    renamed: _renamed,
    ...result
  } = message.result;
  return { ...message, result };
}

function shorten(message: TerminationMessage): TerminationMessage {
  if (!('failure' in message)) return withoutLists(message);
  const { message: text = '', ...failure } = message.failure;
  return { ...message, failure: { ...failure, message: text.slice(0, 500) } };
}

/** The message as JSON of at most 4 KiB. */
export function terminationText(message: TerminationMessage): string {
  const text = JSON.stringify(message);
  return Buffer.byteLength(text) <= MOST_BYTES ? text : JSON.stringify(shorten(message));
}

/** Writes the termination message to the file that the kubelet reads. */
export function writeTerminationMessage(path: string, message: TerminationMessage): Promise<void> {
  return writeFile(path, terminationText(message));
}
