import { createHash } from 'node:crypto';
import { GROUP_VERSION, LABELS } from '#crds/api-group.ts';
import { rfc3339, shorten } from '#crds/conditions.ts';
import { defined } from '#runtime/collections/optional.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { Event } from '#runtime/kube/resources.ts';
import type { KubeObject, ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import { redactText } from '#runtime/log/redact.ts';
import type { Clock } from '#runtime/time/clock.ts';

export interface EventNote {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const COMPONENT = 'zipjobs-controller';
/** Maximum number of events whose repetitions are counted. */
const REMEMBERED = 4096;

export interface EventsOptions {
  /** Of the objects, because lists omit it. */
  readonly kind: 'ZipJob' | 'ZipProject' | 'ZipBucket' | 'Lease';
  readonly events: Pick<ObjectClient<Event>, 'create' | 'mergePatch'>;
  /** Name of this replica. */
  readonly instance: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Records Events on objects of one kind; only logs a failure. */
export type RecordEvent = (object: Pick<KubeObject, 'metadata'>, note: EventNote) => Promise<void>;

/** The same event of the same object has the same name, so that a repetition increments its count. */
function eventName({ metadata }: Pick<KubeObject, 'metadata'>, note: EventNote): string {
  const text = JSON.stringify([metadata.uid, note.type, note.reason, note.message]);
  return `${metadata.name}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function eventOf(
  object: Pick<KubeObject, 'metadata'>,
  note: EventNote,
  { now, kind, instance }: Pick<EventsOptions, 'kind' | 'instance'> & { readonly now: Date },
): Event {
  const { name, namespace, uid } = object.metadata;
  const time = rfc3339(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(object, note), namespace, labels: { [LABELS.managedBy]: COMPONENT } },
    involvedObject: {
      apiVersion: kind === 'Lease' ? 'coordination.k8s.io/v1' : GROUP_VERSION,
      kind,
      name,
      namespace,
      ...defined({ uid }),
    },
    type: note.type,
    reason: note.reason,
    message: shorten(redactText(note.message)),
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    reportingInstance: instance,
  };
}

export function createEvents(options: EventsOptions): RecordEvent {
  const counts = new Map<string, number>();
  function repeat(name: string): number {
    const count = (counts.get(name) ?? 1) + 1;
    counts.delete(name);
    counts.set(name, count);
    const [oldest] = counts.keys();
    if (counts.size > REMEMBERED && oldest !== undefined) counts.delete(oldest);
    return count;
  }
  return async (object, note) => {
    const now = options.clock.date();
    const event = eventOf(object, note, { ...options, now });
    const { name, namespace } = event.metadata;
    try {
      if (await options.events.create(event)) return;
      await options.events.mergePatch(
        { namespace, name },
        { count: repeat(name), lastTimestamp: rfc3339(now) },
      );
    } catch (error) {
      // A terminating namespace rejects events; losing an event has no other effect.
      if (!isKubeError(error, 'NamespaceTerminating', 'NotFound'))
        options.log.warn({ err: error, namespace, event: note.reason }, 'could not record an event');
    }
  };
}
