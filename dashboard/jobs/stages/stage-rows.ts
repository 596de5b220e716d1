import { redactText } from '#runtime/log/redact.ts';
import { FORMAT } from '../../ui/format.ts';
import type { Look } from '../../ui/words.ts';
import type { Stage, StageState } from './stage.ts';

/** Where a bar is on the common time axis, in percent. */
export interface StageBar {
  readonly x: number;
  /** What is done. */
  readonly width: number;
  /** What is left until the expected end; 0 if it is over, or if nobody knows. */
  readonly rest: number;
  /** Whether it is running, and nobody knows how much is left. */
  readonly isFading: boolean;
  /** `37 %`; empty unless the stage shows the percentage of the job. */
  readonly text: string;
  /** Whether the text is inside what is done, because there is no room behind it. */
  readonly isTextInside: boolean;
}

/** A stage as a row of the timeline. */
export interface StageRow {
  readonly name: string;
  /** The state in words. */
  readonly state: string;
  readonly look: Look;
  /** RFC 3339; empty if unknown. */
  readonly start: string;
  /** `+2 s`, from the start of the first stage; empty if unknown. */
  readonly offset: string;
  /** `24 s`, `up to 24 s`, `failed after 24 s`, or that it is unknown. Of a stage that did not run its state. */
  readonly duration: string;
  readonly bar: StageBar | undefined;
  readonly detail: string;
  /** What of the upload of an earlier attempt it kept; empty if there was none. */
  readonly kept: string;
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
/** Percent of the axis behind which a percentage has no room. */
const TEXT_UNTIL = 85;

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

/** The share of its own work that a running stage has done, from 0 to 1: without what earlier attempts had done. */
function shareDone({ percent = 0, keptPercent = 0 }: Stage): number {
  return keptPercent >= 100 ? 0 : Math.max(0, percent - keptPercent) / (100 - keptPercent);
}

/** When a running stage will end, from its own estimate or else from its pace so far. */
function expectedMsOf(stage: Stage, nowMs: number): number | undefined {
  const { start, end, state, expectedEnd } = stage;
  const share = shareDone(stage);
  if (state !== 'running' || start === undefined || end !== undefined || share === 0) return undefined;
  const startMs = Date.parse(start);
  const byPace = startMs + (nowMs - startMs) / share;
  return Math.max(nowMs, expectedEnd === undefined ? byPace : Date.parse(expectedEnd));
}

function spanText(stage: Stage, nowMs: number): string {
  const { start } = stage;
  const endMs = endMsOf(stage, nowMs);
  if (start === undefined || endMs === undefined) return '';
  // A clock may run behind the one that wrote the start.
  const ms = Math.max(0, endMs - Date.parse(start));
  if (ms < SECOND) return 'under 1 s';
  return stage.endsEarlier === true ? `up to ${FORMAT.duration(ms)}` : FORMAT.duration(ms);
}

function durationText(stage: Stage, nowMs: number): string {
  const { text } = STATES[stage.state];
  if (!didRun(stage)) return text;
  const span = spanText(stage, nowMs);
  if (stage.state === 'failed' || stage.state === 'stopped')
    return span === '' ? text : `${text} after ${span}`;
  return span === '' ? 'duration not recorded' : span;
}

function percent(value: number): number {
  return Math.round(value * 100) / 100;
}

/** In percent of the axis. */
function shareOf(atMs: number, { fromMs, toMs }: Axis): number {
  return Math.min(100, Math.max(0, ((atMs - fromMs) / (toMs - fromMs)) * 100));
}

/** Only one stage shows the percentage of the job. */
function percentText({ name, percent: done }: Stage): string {
  return name === 'Uploading' && done !== undefined ? `${done} %` : '';
}

function barOf(stage: Stage, axis: Axis): StageBar | undefined {
  const endMs = endMsOf(stage, axis.nowMs);
  if (!didRun(stage) || stage.start === undefined || endMs === undefined || axis.toMs <= axis.fromMs)
    return undefined;
  const x = Math.min(shareOf(Date.parse(stage.start), axis), 100 - MIN_WIDTH);
  const expectedMs = expectedMsOf(stage, axis.nowMs);
  const whole = shareOf(expectedMs ?? endMs, axis) - x;
  const done = expectedMs === undefined ? whole : whole * shareDone(stage);
  const width = Math.max(MIN_WIDTH, done);
  return {
    x: percent(x),
    width: percent(width),
    rest: percent(Math.max(0, whole - width)),
    isFading: stage.state === 'running' && expectedMs === undefined,
    text: percentText(stage),
    isTextInside: x + width > TEXT_UNTIL,
  };
}

function rowOf(stage: Stage, axis: Axis): StageRow {
  const { start } = stage;
  return {
    name: stage.name,
    state: STATES[stage.state].text,
    look: STATES[stage.state].look,
    start: start ?? '',
    offset: start === undefined ? '' : `+${FORMAT.duration(Date.parse(start) - axis.fromMs)}`,
    duration: durationText(stage, axis.nowMs),
    bar: barOf(stage, axis),
    detail: redactText(stage.detail ?? ''),
    kept: stage.kept ?? '',
    parts: (stage.parts ?? []).map((part) => rowOf(part, axis)),
  };
}

function timesOf(stages: readonly Stage[], nowMs: number): readonly number[] {
  return stages.flatMap((stage) => [
    ...(stage.start === undefined ? [] : [Date.parse(stage.start)]),
    ...(didRun(stage) ? [endMsOf(stage, nowMs) ?? [], expectedMsOf(stage, nowMs) ?? []].flat() : []),
    ...timesOf(stage.parts ?? [], nowMs),
  ]);
}

/** Whether its parts say all that an attempt says: a failure may be about none of them. */
function isInItsParts({ state, parts = [] }: Stage): boolean {
  return (state !== 'failed' && state !== 'stopped') || parts.some((part) => part.state === state);
}

/** The only attempt of a job is shown by its steps. */
function spread(stages: readonly Stage[]): readonly Stage[] {
  const attempts = stages.filter(({ parts = [] }) => parts.length > 0);
  const [only] = attempts;
  if (only === undefined || attempts.length > 1 || !isInItsParts(only)) return stages;
  const parts = (only.parts ?? []).filter(({ name, state }) => name !== 'Recovering' || state !== 'skipped');
  return stages.flatMap((stage) => (stage === only ? parts : [stage]));
}

/**
 * All bars share the time from the first start to the last end, or to the expected end of what is running. So a bar shows what is
 * done, and not only what was started.
 */
export function stageRows(stages: readonly Stage[], now: Date): readonly StageRow[] {
  const nowMs = now.getTime();
  const times = timesOf(stages, nowMs);
  const axis = { fromMs: Math.min(...times), toMs: Math.max(...times), nowMs };
  return spread(stages).map((stage) => rowOf(stage, axis));
}
