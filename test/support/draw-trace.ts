import type { ReceivedSpan } from './servers/trace-collector.ts';

const COLUMNS = 40;
const NS_PER_MS = 1_000_000n;

function milliseconds(ns: bigint): number {
  return Number(ns / NS_PER_MS);
}

function barOf({ start, end }: ReceivedSpan, from: bigint, to: bigint): string {
  const scale = COLUMNS / Math.max(1, milliseconds(to - from));
  const first = Math.min(COLUMNS - 1, Math.floor(milliseconds(start - from) * scale));
  const length = Math.max(1, Math.round(milliseconds(end - start) * scale));
  return `${' '.repeat(first)}${'█'.repeat(Math.min(length, COLUMNS - first))}`.padEnd(COLUMNS);
}

/** The spans of one trace as text: a tree with bars, and what each says. */
export function drawTrace(spans: readonly ReceivedSpan[]): string {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const from = spans.reduce((least, { start }) => (start < least ? start : least), spans[0]?.start ?? 0n);
  const to = spans.reduce((most, { end }) => (end > most ? end : most), from);
  function childrenOf(parent: string | undefined): readonly ReceivedSpan[] {
    return spans
      .filter(({ parentSpanId: id }) => (id !== undefined && ids.has(id) ? id : undefined) === parent)
      .toSorted((one, other) => milliseconds(one.start - other.start));
  }
  function linesOf(parent: string | undefined, depth: number): readonly string[] {
    return childrenOf(parent).flatMap((span) => {
      const name = `${'  '.repeat(depth)}${span.name}${span.isError ? ' !' : ''}`;
      const seconds = (milliseconds(span.end - span.start) / 1000).toFixed(1);
      const facts = Object.entries(span.attributes).map(
        ([key, value]) => `${key.replace(/^zipjobs\./, '')}=${value}`,
      );
      const line = `${name.padEnd(24)}|${barOf(span, from, to)}| ${seconds.padStart(6)} s  ${facts.join(' ')}`;
      return [line.trimEnd(), ...linesOf(span.spanId, depth + 1)];
    });
  }
  return linesOf(undefined, 0).join('\n');
}
