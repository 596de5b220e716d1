import { DEFAULT_ENDPOINT, endpointsOf } from '#crds/webhook-endpoints.ts';
import type { WebhookDelivery, WebhookEvent, WebhookState } from '#crds/zip-job.ts';
import { type Change, namespaceOf, type ObjectKey } from '#runtime/kube/types.ts';
import { secondsOf } from './job-order.ts';
import type { ListedJob } from './listed-job.ts';

/** pending: will be sent again. failed: all attempts were used up, or the receiver responded with 410. */
export const DELIVERY_RESULTS = ['failed', 'pending', 'delivered'] as const;
export type DeliveryResult = (typeof DELIVERY_RESULTS)[number];

/** The last webhook delivery of a job to one endpoint. */
export interface LastDelivery {
  /** Name of the endpoint. */
  readonly endpoint: string;
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

/** The last delivery to each endpoint that had one. */
function lastDeliveriesOf({ status: { webhook, phase } }: DeliveredJob): readonly LastDelivery[] {
  const event = phase === 'Succeeded' ? 'COMPLETED' : 'FAILED';
  return endpointsOf<WebhookState>(webhook).flatMap(({ name: endpoint, ...delivery }) => {
    const last = delivery.log?.at(-1);
    return last ? [{ endpoint, webhook: delivery, last, result: resultOf(delivery), event }] : [];
  });
}

/** Undefined for a job without a delivery to the endpoint with this name. */
export function lastDeliveryOf(job: DeliveredJob, endpoint: string): LastDelivery | undefined {
  return lastDeliveriesOf(job).find((one) => one.endpoint === endpoint);
}

/** A job and the name of an endpoint. */
export interface DeliveryKey {
  readonly job: ObjectKey;
  readonly endpoint: string;
}

/** An empty text matches everything. */
export interface WantedDeliveries {
  readonly result: DeliveryResult | '';
  readonly event: WebhookEvent | '';
  /** Name of the endpoint. */
  readonly endpoint: string;
}

export interface DeliveryPage {
  readonly most: number;
  /** Default 0. */
  readonly skip?: number;
}

/** When each job had its last delivery to each endpoint, so that no page has to read every job to list or count them. */
export interface Deliveries {
  note(change: Change<DeliveredJob>): void;
  /** How many match. */
  count(namespace: string, wanted: WantedDeliveries): number;
  /** The newest deliveries that match, newest first, after the first `skip` ones. */
  newest(namespace: string, wanted: WantedDeliveries, page: DeliveryPage): readonly DeliveryKey[];
}

type Kind = `${DeliveryResult}/${WebhookEvent}/${string}`;
/** Seconds of the last deliveries of one kind: V8 keeps milliseconds as objects. */
type Times = Map<ObjectKey, number>;

function kindOf({ result, event, endpoint }: Pick<LastDelivery, 'result' | 'event' | 'endpoint'>): Kind {
  return `${result}/${event}/${endpoint}`;
}

function endpointOfKind(kind: Kind): string {
  const [, , endpoint = DEFAULT_ENDPOINT] = kind.split('/');
  return endpoint;
}

function isWanted(kind: Kind, { result, event, endpoint }: WantedDeliveries): boolean {
  const parts = kind.split('/');
  return [result, event, endpoint].every((wanted, index) => wanted === '' || wanted === parts[index]);
}

/** The deliveries of one kind. */
interface OfKind {
  readonly endpoint: string;
  readonly times: Times;
}

interface Timed {
  readonly key: DeliveryKey;
  readonly at: number;
}

/** Up to this many are kept in order while all are read. Of more, a sort of all of them takes less time. */
const FEW = 250;

function sorted(all: readonly OfKind[]): readonly Timed[] {
  return all
    .flatMap(({ endpoint, times }) => [...times].map(([job, at]) => ({ key: { job, endpoint }, at })))
    .toSorted((a, b) => b.at - a.at);
}

function newestOf(all: readonly OfKind[], most: number): readonly Timed[] {
  if (most > FEW) return sorted(all).slice(0, most);
  const kept: Timed[] = [];
  for (const { endpoint, times } of all)
    for (const [job, at] of times) {
      const oldest = kept.at(-1);
      if (oldest !== undefined && kept.length === most && at <= oldest.at) continue;
      const after = kept.findIndex((one) => one.at < at);
      kept.splice(after === -1 ? kept.length : after, 0, { key: { job, endpoint }, at });
      if (kept.length > most) kept.pop();
    }
  return kept;
}

export function createDeliveries(): Deliveries {
  const projects = new Map<string, Map<Kind, Times>>();
  function wantedOf(namespace: string, wanted: WantedDeliveries): readonly OfKind[] {
    return [...(projects.get(namespace) ?? [])]
      .filter(([kind]) => isWanted(kind, wanted))
      .map(([kind, times]) => ({ endpoint: endpointOfKind(kind), times }));
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
      const before = change.before ? lastDeliveriesOf(change.before) : [];
      const now = change.kind === 'set' ? lastDeliveriesOf(change.object) : [];
      for (const delivery of before) forget(key, kindOf(delivery));
      for (const delivery of now) keep(key, kindOf(delivery), secondsOf(delivery.last.at));
    },
    count: (namespace, wanted) => wantedOf(namespace, wanted).reduce((sum, { times }) => sum + times.size, 0),
    newest: (namespace, wanted, { most, skip = 0 }) =>
      newestOf(wantedOf(namespace, wanted), skip + most)
        .slice(skip)
        .map(({ key }) => key),
  };
}
