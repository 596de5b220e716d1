import { Counter, Gauge, type Registry } from 'prom-client';
import type { CountCall } from './client/kube-request.ts';
import type { Reflector } from './types.ts';
import type { ReflectorMetrics } from './watch/reflector-options.ts';

export interface KubeMetrics extends ReflectorMetrics {
  readonly countCall: CountCall;
  /** Counts a response whose time contradicts that of other API servers. */
  readonly clockDiffered: () => void;
}

function countersIn(registry: Registry) {
  return <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
}

/** Metrics of calls to the API server and of the caches, the same in every process. */
export function createKubeMetrics(registry: Registry): KubeMetrics {
  const counter = countersIn(registry);
  const calls = counter(
    'rest_client_requests_total',
    'Calls to the API server, by method, status code and host',
    ['method', 'code', 'host'],
  );
  const relists = counter(
    'zip_reflector_relists_total',
    'Lists requested to rebuild a cache, by kind and reason',
    ['kind', 'reason'],
  );
  const watchEnds = counter(
    'zip_reflector_watch_ends_total',
    'Ended watches, by kind and reason; `cut short` if the API server ended one before its time',
    ['kind', 'reason'],
  );
  const missed = counter(
    'zip_reflector_missed_changes_total',
    'Changes whose events did not arrive, found by a comparison with the API server, by kind',
    ['kind'],
  );
  const events = counter('zip_reflector_events_total', 'Watch events received, by kind', ['kind']);
  const clockContradictions = new Counter({
    name: 'rest_client_clock_contradictions_total',
    help: 'Responses of an API server whose time differs from that of the others by more than two seconds. One that is minutes ahead makes jobs miss deadlines wherever its time is used',
    registers: [registry],
  });
  return {
    clockDiffered: () => {
      clockContradictions.inc();
    },
    countCall: ({ method, code, host }) => {
      calls.inc({ method, code, host });
    },
    relisted: (kind, reason) => {
      relists.inc({ kind, reason });
    },
    watchEnded: (kind, reason) => {
      watchEnds.inc({ kind, reason });
    },
    changesMissed: (kind, count) => {
      missed.inc({ kind }, count);
    },
    eventReceived: (kind) => {
      events.inc({ kind });
    },
  };
}

/** Reports at each scrape, for each cached kind, the time since the API server last sent data, and what does not fit. */
export function collectCaches(
  registry: Registry,
  caches: Readonly<Record<string, Pick<Reflector<never>, 'silenceMs' | 'leftOut'>>>,
): void {
  new Gauge({
    name: 'zip_reflector_last_event_age_seconds',
    help: 'Time since the last byte from the API server, by kind; always less than a minute for a healthy watch',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, cache] of Object.entries(caches)) this.set({ kind }, cache.silenceMs() / 1000);
    },
  });
  new Gauge({
    name: 'zip_reflector_left_out_objects',
    help: 'Objects that the process ignores, because a namespace has more than the cache keeps of one, by kind; at most 1,000 of each namespace are counted',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      for (const [kind, cache] of Object.entries(caches)) this.set({ kind }, cache.leftOut());
    },
  });
}
