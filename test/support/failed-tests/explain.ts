import { setTimeout as delay } from 'node:timers/promises';
import { readState } from './cluster-state.ts';
import { type DescribedNamespace, describeNamespace } from './describe-namespace.ts';
import { LIMITS } from './limits.ts';
import { boundLines, printableLine } from './lines.ts';
import { readLogs, readWarnings } from './read-logs.ts';
import type { TestWindow } from './test-window.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const describeState = async (
  dir: string,
  window: TestWindow,
  signal: AbortSignal,
): Promise<readonly DescribedNamespace[]> => {
  const states = await readState(dir, window, signal);
  // The remaining time is for the logs.
  const share = Math.floor((LIMITS.lines * 0.6) / Math.max(states.length, 1));
  return states.map((state) => describeNamespace(state, window, share));
};

/** The signal aborts at the time limit and when the work is done. */
const within = async <T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const end = new AbortController();
  const late = delay(limitMs, undefined, { signal: end.signal }).then(() => {
    throw new Error(`no response within ${limitMs / 1000} s`);
  });
  try {
    return await Promise.race([work(end.signal), late]);
  } finally {
    end.abort();
    late.catch(() => undefined);
  }
};

/**
 * Describes what the cluster in this folder knows about a failed test: ZipJobs, Events, Jobs, pods and logs.
 */
const collect = async (dir: string, window: TestWindow, limitMs: number): Promise<readonly string[]> => {
  const described = await within(limitMs, (signal) => describeState(dir, window, signal)).catch(messageOf);
  const isKnown = typeof described !== 'string';
  const state = isKnown
    ? described.flatMap(({ lines }) => lines)
    : [`The state of the cluster is unknown: ${described}`];
  const zipJobs = isKnown
    ? described.flatMap(({ name, zipJobs: shown }) => shown.map((zipJob) => `${name}/${zipJob}`))
    : undefined;
  const logs = await readLogs(dir, { window, zipJobs, mostLines: LIMITS.lines - state.length });
  const isWithoutTrace = logs.length === 0 && (zipJobs ?? []).length === 0;
  const warnings = isWithoutTrace ? await readWarnings(dir, window) : [];
  return [...state, ...logs, ...warnings];
};

/** Never throws and never exceeds its time limit: an error here becomes one line. */
export const explain = async (
  dir: string,
  window: TestWindow,
  limitMs: number = LIMITS.explanationMs,
): Promise<readonly string[]> => {
  try {
    // Leaves time for the logs when the API server does not respond.
    const lines = await within(limitMs, () => collect(dir, window, limitMs * 0.6));
    return boundLines(lines, LIMITS.lines).map((line) => printableLine(line, LIMITS.lineChars));
  } catch (error) {
    return [printableLine(`No explanation: ${messageOf(error)}`, LIMITS.lineChars)];
  }
};
