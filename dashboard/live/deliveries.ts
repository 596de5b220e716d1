import { WEBHOOK_EVENTS, type WebhookDelivery, type WebhookEvent, type WebhookState } from '#crds/zip-job.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { secondsOf } from './job-order.ts';
import type { ListedJob } from './listed-job.ts';

/** pending: will be sent again. failed: all attempts were used up, or the receiver responded with 410. */
export const DELIVERY_RESULTS = ['failed', 'pending', 'delivered'] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** The last webhook delivery of a job. */
export interface LastDelivery {
  readonly webhook: WebhookState;
  readonly last: WebhookDelivery;
  readonly result: DeliveryResult;
  readonly event: WebhookEvent;
}

type DeliveredJob = Pick<ListedJob, 'status'>;

function resultOf({ state }: WebhookState): DeliveryResult {
  if (state === 'Delivered') return 'delivered';
  return state === 'Pending' ? 'pending' : 'failed';
}

/** Undefined for a job without a delivery. */
export function lastDeliveryOf({ status: { webhook, phase } }: DeliveredJob): LastDelivery | undefined {
  const last = webhook?.log?.at(-1);
  if (webhook === undefined || last === undefined) return undefined;
  return { webhook, last, result: resultOf(webhook), event: phase === 'Succeeded' ? 'COMPLETED' : 'FAILED' };
}

/** An empty text matches everything. */
export interface WantedDeliveries {
  readonly result: DeliveryResult | '';
  readonly event: WebhookEvent | '';
}

export interface DeliveryPage {
  readonly most: number;
  /** Default 0. */
  readonly skip?: number;
}

/** When each job had its last delivery, so that no page has to read every job to list or count them. */
export interface Deliveries {
  note(change: Change<DeliveredJob>): void;
  /** How many match. */
  count(namespace: string, wanted: WantedDeliveries): number;
  /** Keys of the jobs with the newest deliveries that match, newest first, after the first `skip` ones. */
  newest(namespace: string, wanted: WantedDeliveries, page: DeliveryPage): readonly ObjectKey[];
}

type Kind = `${DeliveryResult}/${WebhookEvent}`;
/** Seconds of the last deliveries: V8 keeps milliseconds as objects. */
type Times = Map<ObjectKey, number>;

function kindsOf({ result, event }: WantedDeliveries): readonly Kind[] {
  return DELIVERY_RESULTS.filter((one) => result === '' || one === result).flatMap((one) =>
    WEBHOOK_EVENTS.filter((other) => event === '' || other === event).map((other): Kind => `${one}/${other}`),
  );
}

interface Timed {
  readonly key: ObjectKey;
  readonly at: number;
}

/** Up to this many are kept in order while all are read. Of more, a sort of all of them takes less time. */
const FEW = 250;

function sorted(all: readonly Times[]): readonly Timed[] {
  return all.flatMap((times) => [...times].map(([key, at]) => ({ key, at }))).toSorted((a, b) => b.at - a.at);
}

function newestOf(all: readonly Times[], most: number): readonly Timed[] {
  if (most > FEW) return sorted(all).slice(0, most);
  const kept: Timed[] = [];
  for (const times of all)
    for (const [key, at] of times) {
      const oldest = kept.at(-1);
      if (oldest !== undefined && kept.length === most && at <= oldest.at) continue;
      const after = kept.findIndex((one) => one.at < at);
      kept.splice(after === -1 ? kept.length : after, 0, { key, at });
      if (kept.length > most) kept.pop();
    }
  return kept;
}

export function createDeliveries(): Deliveries {
  const projects = new Map<string, Map<Kind, Times>>();
  function timesOf(namespace: string, wanted: WantedDeliveries): readonly Times[] {
    return kindsOf(wanted).flatMap((kind) => projects.get(namespace)?.get(kind) ?? []);
  }

  function forget(key: ObjectKey, kind: Kind): void {
    const kinds = projects.get(namespaceOf(key));
    const times = kinds?.get(kind);
    times?.delete(key);
    if (times?.size === 0) kinds?.delete(kind);
    if (kinds?.size === 0) projects.delete(namespaceOf(key));
  }
  function keep(key: ObjectKey, kind: Kind, at: number): void {
    const namespace = namespaceOf(key);
    const kinds = projects.get(namespace) ?? new Map<Kind, Times>();
    const times: Times = kinds.get(kind) ?? new Map();
    projects.set(namespace, kinds.set(kind, times.set(key, at)));
  }
  return {
    note: ({ key, ...change }) => {
      const before = change.before && lastDeliveryOf(change.before);
      const now = change.kind === 'set' ? lastDeliveryOf(change.object) : undefined;
      if (before !== undefined) forget(key, `${before.result}/${before.event}`);
      if (now !== undefined) keep(key, `${now.result}/${now.event}`, secondsOf(now.last.at));
    },
    count: (namespace, wanted) => timesOf(namespace, wanted).reduce((sum, { size }) => sum + size, 0),
    newest: (namespace, wanted, { most, skip = 0 }) =>
      newestOf(timesOf(namespace, wanted), skip + most)
        .slice(skip)
        .map(({ key }) => key),
  };
}
