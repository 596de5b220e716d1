import { expect } from 'chai';
import type { ReceivedSpan } from './servers/trace-collector.ts';

function faultOf(span: ReceivedSpan, parent: ReceivedSpan | undefined): string | undefined {
  if (span.end < span.start) return `${span.name} is negative`;
  if (!parent) return undefined;
  if (span.start < parent.start || span.start > parent.end)
    return `${span.name} starts outside of ${parent.name}`;
  // A request of the API ends before what it starts, as always with work in the background.
  return parent.kind !== 2 && span.end > parent.end ? `${span.name} ends after ${parent.name}` : undefined;
}

/** One trace with one root, no span that is negative or there twice, and each inside its parent. */
export function expectTrace(spans: readonly ReceivedSpan[]): void {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const roots = spans.filter(({ parentSpanId = '' }) => !byId.has(parentSpanId));
  const faults = spans.map((span) => faultOf(span, byId.get(span.parentSpanId ?? ''))).filter(Boolean);
  const traces = new Set(spans.map(({ traceId }) => traceId)).size;
  expect({ traces, roots: roots.length, spans: byId.size, faults }).to.deep.equal({
    traces: 1,
    roots: 1,
    spans: spans.length,
    faults: [],
  });
}
