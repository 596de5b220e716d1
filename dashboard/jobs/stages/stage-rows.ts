import { redactText } from '#runtime/log/redact.ts';
import { FORMAT } from '../../ui/format.ts';
import type { Look } from '../../ui/words.ts';
import type { Stage, StageState } from './stage.ts';

/** A stage as a row of the timeline. */
export interface StageRow {
  readonly name: string;
  /** The state in words. */
  readonly state: string;
  readonly look: Look;
  /** RFC 3339; empty if unknown. */
  readonly start: string;
  /** `24 s`, `up to 24 s`, or that it is unknown. Empty for a stage that did not run. */
  readonly duration: string;
  /** Position on the common time axis in percent. */
  readonly bar: { readonly x: number; readonly width: number } | undefined;
  readonly detail: string;
  readonly parts: readonly StageRow[];
}

const STATES: Readonly<Record<StageState, { readonly text: string; readonly look: Look }>> = {
  waiting: { text: 'Waiting', look: 'quiet' },
  running: { text: 'Running', look: 'going' },
  done: { text: 'Done', look: 'good' },
  failed: { text: 'Failed', look: 'bad' },
  stopped: { text: 'Stopped', look: 'warn' },
  skipped: { text: 'Skipped', look: 'quiet' },
};

const SECOND = 1000;
/** Percent of the axis, so that a short stage is visible. */
const MIN_WIDTH = 0.5;

interface Axis {
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
}

function didRun({ state }: Stage): boolean {
  return state !== 'waiting' && state !== 'skipped';
}

function endMsOf({ end, state }: Stage, nowMs: number): number | undefined {
  if (end !== undefined) return Date.parse(end);
  return state === 'running' ? nowMs : undefined;
}

function durationText(stage: Stage, nowMs: number): string {
  if (!didRun(stage)) return '';
  const { start, measuredMs } = stage;
  if (measuredMs !== undefined && measuredMs < SECOND) return `${FORMAT.number(measuredMs)} ms`;
  const endMs = endMsOf(stage, nowMs);
  if (start === undefined || endMs === undefined) return 'duration not recorded';
  // A clock may run behind the one that wrote the start.
  const ms = Math.max(0, measuredMs ?? endMs - Date.parse(start));
  if (ms < SECOND) return 'under 1 s';
  return stage.endsEarlier === true ? `up to ${FORMAT.duration(ms)}` : FORMAT.duration(ms);
}

function percent(value: number): number {
  return Math.round(value * 100) / 100;
}

function barOf(stage: Stage, { fromMs, toMs, nowMs }: Axis): StageRow['bar'] {
  const endMs = endMsOf(stage, nowMs);
  if (!didRun(stage) || stage.start === undefined || endMs === undefined || toMs <= fromMs) return undefined;
  function share(atMs: number): number {
    return Math.min(100, Math.max(0, ((atMs - fromMs) / (toMs - fromMs)) * 100));
  }
  const x = Math.min(share(Date.parse(stage.start)), 100 - MIN_WIDTH);
  return { x: percent(x), width: percent(Math.max(MIN_WIDTH, share(endMs) - x)) };
}

function rowOf(stage: Stage, axis: Axis): StageRow {
  return {
    name: stage.name,
    state: STATES[stage.state].text,
    look: STATES[stage.state].look,
    start: stage.start ?? '',
    duration: durationText(stage, axis.nowMs),
    bar: barOf(stage, axis),
    detail: redactText(stage.detail ?? ''),
    parts: (stage.parts ?? []).map((part) => rowOf(part, axis)),
  };
}

function timesOf(stages: readonly Stage[], nowMs: number): readonly number[] {
  return stages.flatMap((stage) => [
    ...(stage.start === undefined ? [] : [Date.parse(stage.start)]),
    ...(didRun(stage) ? [endMsOf(stage, nowMs) ?? []].flat() : []),
    ...timesOf(stage.parts ?? [], nowMs),
  ]);
}

/** All bars share the time from the first start to the last end. A stage that is running ends now. */
export function stageRows(stages: readonly Stage[], now: Date): readonly StageRow[] {
  const nowMs = now.getTime();
  const times = timesOf(stages, nowMs);
  const axis = { fromMs: Math.min(...times), toMs: Math.max(...times), nowMs };
  return stages.map((stage) => rowOf(stage, axis));
}
