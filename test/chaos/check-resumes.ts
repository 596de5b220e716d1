/** Checks uploads that outlive their pods, and counts how many were continued. */
import type { JobOutcome } from './check-job.ts';
import { isOk, type Rule, type SeenExchange, type Violation } from './violation.ts';

export interface ResumeCounts {
  /** Events `Resumed`. */
  readonly resumed: number;
  /** Events `ResumeRefused`, by their text. */
  readonly refused: Readonly<Record<string, number>>;
}

export const NO_RESUMES: ResumeCounts = { resumed: 0, refused: {} };

export function addResumes(one: ResumeCounts, other: ResumeCounts): ResumeCounts {
  const reasons = new Set([...Object.keys(one.refused), ...Object.keys(other.refused)]);
  return {
    resumed: one.resumed + other.resumed,
    refused: Object.fromEntries(
      [...reasons].map((reason) => [reason, (one.refused[reason] ?? 0) + (other.refused[reason] ?? 0)]),
    ),
  };
}

/** `3 Resumed, 1 ResumeRefused (UploadGone)`. */
export function resumesText({ resumed, refused }: ResumeCounts): string {
  const reasons = Object.entries(refused).map(([reason, count]) => `, ${count} ResumeRefused (${reason})`);
  return `${resumed} Resumed${reasons.join('')}`;
}

const REASON = /\b[A-Z][a-z]+[A-Z][A-Za-z]+\b/;

/** Events that the API server has accepted. */
export function countResumes(api: readonly SeenExchange[]): ResumeCounts {
  const events = api.filter(({ status }) => isOk(status));
  const refused = events
    .filter(({ notes }) => notes['event'] === 'ResumeRefused')
    .map(({ notes: { text = '' } }) => REASON.exec(text)?.[0] ?? text);
  const counts = [...Map.groupBy(refused, (reason) => reason)].map(
    ([reason, all]) => [reason, all.length] as const,
  );
  return {
    resumed: events.filter(({ notes }) => notes['event'] === 'Resumed').length,
    refused: Object.fromEntries(counts),
  };
}

/** A status write of the controller, which has all of its fields. */
function statusWrites(api: readonly SeenExchange[]): ReadonlyMap<string, readonly SeenExchange[]> {
  const writes = api.filter(({ notes }) => notes['phase'] !== undefined);
  return Map.groupBy(writes, ({ request }) => request.path);
}

interface Inherited {
  readonly uploadId: string;
  /** From the response to the write that names it until the next write that may end this was sent. */
  readonly from: number;
  readonly to: number;
}

/** What is inherited while the job does not end, and no recovery is to abort what no pod continues any more. */
function keptIn({ notes }: SeenExchange): string | undefined {
  const isRunning = ['Queued', 'Starting', 'Running'].includes(notes['phase'] ?? '');
  return isRunning && notes['recovered'] !== 'Recovering' ? notes['inherits'] : undefined;
}

function inheritedIn(writes: readonly SeenExchange[]): readonly Inherited[] {
  return writes.flatMap((write, index): readonly Inherited[] => {
    const uploadId = keptIn(write);
    if (uploadId === undefined || !isOk(write.status)) return [];
    const next = writes.slice(index + 1).find((other) => keptIn(other) !== uploadId);
    return [{ uploadId, from: write.endedAt, to: next?.at ?? Infinity }];
  });
}

/** Nobody aborts an upload that the next or the active pod may continue, unless that pod has recorded that it does not. */
export function checkInherited(
  api: readonly SeenExchange[],
  store: readonly SeenExchange[],
): readonly Rule[] {
  const inherited = [...statusWrites(api).values()].flatMap(inheritedIn);
  const aborts = store.filter(({ request, status }) => request.method === 'DELETE' && isOk(status));
  return aborts.flatMap(({ request, at }): readonly Rule[] => {
    const uploadId = new URL(request.path, 'http://store').searchParams.get('uploadId') ?? '';
    const isKept = inherited.some((one) => one.uploadId === uploadId && at > one.from && at < one.to);
    const isDiscarded = api.some(
      ({ notes, at: sentAt }) =>
        notes['upload'] === 'discarded' && notes['uploadId'] === uploadId && sentAt < at,
    );
    return isKept && !isDiscarded
      ? [{ rule: 'H8', text: `the upload ${uploadId} was aborted although the next pod inherits it` }]
      : [];
  });
}

/** With fixed times, the same files are the same bytes, however often their pods were lost. */
export function archivesThatDiffer(
  known: Map<number, string>,
  jobs: readonly JobOutcome[],
): readonly Violation[] {
  return jobs.flatMap(({ uuid, variant, archive }): readonly Violation[] => {
    if (variant === undefined || archive === undefined) return [];
    const first = known.get(variant) ?? archive;
    known.set(variant, first);
    return first === archive
      ? []
      : [{ rule: 'H4', uuid, text: `other bytes than those of the same files before (variant ${variant})` }];
  });
}
