/** All observations of a schedule, ordered by one monotonic clock. */
import type { ApiStatus, Phase, ZipJob } from '#crds/zip-job.ts';
import { hasActivePod, isFinished } from '#crds/zip-job.ts';
import type { Exchange } from '#tools/local-cluster/fault-proxy.ts';

export const PLACES = ['api-server', 'store', 'receiver', 'source'] as const;
export type Place = (typeof PLACES)[number];

/** The note of a schedule that deletes its bucket. */
export const BUCKET_DELETED = 'delete the ZipBucket';
/** The note of a schedule whose store is away for longer than a recovery Job tries. */
export const STORE_AWAY = 'the store is away';

export type Seen =
  | ({ readonly kind: 'exchange'; readonly place: Place } & Exchange)
  | {
      readonly kind: 'zip-job';
      readonly at: number;
      readonly event: string;
      readonly name: string;
      /** The key of its archive. */
      readonly key: string;
      readonly phase: Phase | undefined;
      readonly apiStatus: ApiStatus;
      readonly reason: string | undefined;
      readonly finishedAt: string | undefined;
      readonly isPodActive: boolean;
      /** Every attempt that was started has its record. */
      readonly isRecorded: boolean;
    }
  /** A response of the API about a job: its status, or `absent`. */
  | { readonly kind: 'response'; readonly at: number; readonly uuid: string; readonly status: string }
  | { readonly kind: 'note'; readonly at: number; readonly text: string };

export interface Observations {
  readonly seen: readonly Seen[];
  exchange(place: Place, exchange: Exchange): void;
  /** `at`: in ms of performance.now(), now by default. */
  zipJob(event: string, job: ZipJob, at?: number): void;
  respond(uuid: string, status: string): void;
  note(text: string): void;
  clear(): void;
}

export function createObservations(): Observations {
  const seen: Seen[] = [];
  return {
    seen,
    exchange: (place, exchange) => seen.push({ kind: 'exchange', place, ...exchange }),
    zipJob: (event, { metadata, spec, status = {} }, at = performance.now()) =>
      seen.push({
        kind: 'zip-job',
        at,
        event,
        name: metadata.name,
        key: spec.key,
        phase: status.phase,
        apiStatus: status.apiStatus ?? 'none',
        reason: status.reason,
        finishedAt: isFinished({ status }) ? status.finishedAt : undefined,
        isPodActive: hasActivePod({ status }),
        isRecorded: status.attempts?.at(-1)?.n === status.attemptsTotal,
      }),
    respond: (uuid, status) => seen.push({ kind: 'response', at: performance.now(), uuid, status }),
    note: (text) => seen.push({ kind: 'note', at: performance.now(), text }),
    clear: () => {
      seen.length = 0;
    },
  };
}

function lineOf(one: Seen): string {
  if (one.kind === 'note') return `--- ${one.text}`;
  if (one.kind === 'response') return `GET ${one.uuid} returned ${one.status}`;
  if (one.kind === 'zip-job')
    return `${one.event} ${one.name} ${one.phase ?? '-'} ${one.apiStatus} ${one.reason ?? ''}`;
  const { request, place, status, fault, notes } = one;
  const who = request.actor?.podName ?? '';
  const marks = [fault === undefined ? '' : `[${fault}]`, JSON.stringify(notes)].join(' ');
  return `${place} ${who} ${request.method} ${request.path.slice(0, 160)} -> ${status ?? 'nothing'} ${marks}`;
}

/** The history as text, one observation per line, without reads of the API server. */
export function printObservations(seen: readonly Seen[]): string {
  const start = seen[0]?.at ?? 0;
  return seen
    .filter((one) => one.kind !== 'exchange' || one.place !== 'api-server' || one.request.method !== 'GET')
    .filter((one) => one.kind !== 'exchange' || !/\/(leases|events)/.test(one.request.path))
    .toSorted((a, b) => a.at - b.at)
    .map((one) => `${((one.at - start) / 1000).toFixed(3).padStart(8)} ${lineOf(one)}`)
    .join('\n');
}
