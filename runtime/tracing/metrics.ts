import { Counter, type Registry } from 'prom-client';

/** Why spans were dropped. `full`: the queue. `failed`: no response. `refused`: by the collector. */
export const DROP_REASONS = ['full', 'failed', 'refused'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export interface TracingMetrics {
  readonly spansSent: Counter;
  readonly spansDropped: Counter<'reason'>;
}

/** The metrics of a process that sends traces. */
export function createTracingMetrics(registry: Registry): TracingMetrics {
  const registers = [registry];
  const spansSent = new Counter({
    name: 'zip_trace_spans_sent_total',
    help: 'Spans of traces that the collector accepted',
    registers,
  });
  const spansDropped = new Counter({
    name: 'zip_trace_spans_dropped_total',
    help: 'Spans of traces that were dropped, by reason: full (too many were waiting), failed (the collector did not respond, or only with errors) or refused (by the collector)',
    labelNames: ['reason'],
    registers,
  });
  for (const reason of DROP_REASONS) spansDropped.inc({ reason }, 0);
  return { spansSent, spansDropped };
}
