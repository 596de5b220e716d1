import { Counter, type Registry } from 'prom-client';
import type { CountCall } from '#runtime/kube/client.ts';
import type { ReflectorMetrics } from '#runtime/kube/reflector-options.ts';

export interface KubeMetrics extends ReflectorMetrics {
  readonly countCall: CountCall;
}

/** Calls to the API server and the life of the caches, under the names that the controller uses too. */
export const createKubeMetrics = (registry: Registry): KubeMetrics => {
  const registers = [registry];
  const calls = new Counter({
    name: 'rest_client_requests_total',
    help: 'Calls to the API server, by method and status code',
    labelNames: ['method', 'code'],
    registers,
  });
  const relists = new Counter({
    name: 'zip_reflector_relists_total',
    help: 'Lists that a cache was rebuilt from, by kind and reason',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const watchEnds = new Counter({
    name: 'zip_reflector_watch_ends_total',
    help: 'Watches that ended, by kind and reason',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const events = new Counter({
    name: 'zip_reflector_events_total',
    help: 'Events that came by watch, by kind',
    labelNames: ['kind'],
    registers,
  });
  return {
    countCall: ({ method, code }) => {
      calls.inc({ method, code });
    },
    relisted: (kind, reason) => {
      relists.inc({ kind, reason });
    },
    watchEnded: (kind, reason) => {
      watchEnds.inc({ kind, reason });
    },
    eventReceived: (kind) => {
      events.inc({ kind });
    },
  };
};
