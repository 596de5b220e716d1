import { shorten } from '#crds/conditions.ts';
import type { Event } from '#runtime/kube/resources.ts';
import type { PodWait } from './pod-waiting.ts';
import { timeOf } from './times.ts';

/** Removes the name of the rejected pod: it differs each time and would cause a new Event each time. */
function plain(message: string): string {
  return message.replace(/^Error creating: /, '').replace(/^pods "[^"]*" (?:is|are) forbidden: /, '');
}

/** Why the Job controller could not create pods: the message of the API server. */
export function podRefusalOf(events: readonly Event[]): PodWait | undefined {
  const last = events.reduce<Event | undefined>(
    (newest, event) =>
      (timeOf(event.lastTimestamp) ?? 0) >= (timeOf(newest?.lastTimestamp) ?? 0) ? event : newest,
    undefined,
  );
  if (last?.message === undefined) return undefined;
  const message = shorten(plain(last.message));
  return {
    reason: /\b(?:exceeded|failed) quota\b/.test(message) ? 'QuotaExceeded' : 'AdmissionRefused',
    message,
  };
}
