import { REASONS } from '#crds/conditions.ts';
import { type Attempt, TERMINAL_PHASES, type ZipJobStatus } from '#crds/zip-job.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';
import type { ControllerMetrics } from './metrics.ts';
import { timeOf } from './owned-status.ts';

const secondsBetween = (from: string | undefined, to: number | undefined): number | undefined => {
  const begun = timeOf(from);
  return begun === undefined || to === undefined ? undefined : Math.max(0, (to - begun) / 1000);
};

const isTerminal = (status: ZipJobStatus | undefined): boolean =>
  TERMINAL_PHASES.some((phase) => phase === status?.phase);

const newAttempts = (before: ZipJobStatus | undefined, after: ZipJobStatus): readonly Attempt[] => {
  const last = before?.attemptsTotal ?? 0;
  return after.attempts?.filter(({ n }) => n > last) ?? [];
};

/** Labels come from a closed set, whatever a pod writes. */
const reasonLabel = (reason: string | undefined): string =>
  reason !== undefined && (Object.hasOwn(REASONS, reason) || Object.hasOwn(FAILURE_CODES, reason))
    ? reason
    : 'Other';

const countEnd = (metrics: ControllerMetrics, after: ZipJobStatus): void => {
  const result = (after.phase ?? '').toLowerCase();
  metrics.finished.inc({ result, reason: reasonLabel(after.reason) });
  const seconds = secondsBetween(after.startedAt, timeOf(after.finishedAt));
  if (seconds !== undefined) metrics.durationSeconds.observe({ result }, seconds);
  if (after.phase !== 'Succeeded' || !after.result) return;
  metrics.archiveBytes.observe(after.result.bytes);
  metrics.files.observe(after.result.entries);
};

const countDelivery = (
  metrics: ControllerMetrics,
  before: ZipJobStatus | undefined,
  after: ZipJobStatus,
): void => {
  if ((after.webhook?.attempts ?? 0) <= (before?.webhook?.attempts ?? 0)) return;
  const last = after.webhook?.log?.at(-1);
  if (!last) return;
  const outcome = last.status === undefined ? 'error' : `${Math.floor(last.status / 100)}xx`;
  metrics.deliveries.inc({ outcome });
  metrics.deliverySeconds.observe(last.durationMs / 1000);
  if (after.webhook?.state === 'Exhausted') metrics.exhausted.inc();
};

/**
 * Counts what one status write moved, after it succeeded: counted from a decision alone, a conflict or a restart would count
 * twice.
 */
export const countTransition = (
  metrics: ControllerMetrics,
  move: { readonly before: ZipJobStatus | undefined; readonly after: ZipJobStatus; readonly now: Date },
): void => {
  const { before, after, now } = move;
  for (const attempt of newAttempts(before, after))
    metrics.attempts.inc({ class: attempt.class ?? 'transient' });
  const waited = secondsBetween(after.acceptedAt, now.getTime());
  if (waited !== undefined && !before?.job && after.job) metrics.queueSeconds.observe(waited);
  if (waited !== undefined && before?.startedAt === undefined && after.startedAt !== undefined)
    metrics.startSeconds.observe(waited);
  if (!isTerminal(before) && isTerminal(after)) countEnd(metrics, after);
  countDelivery(metrics, before, after);
};
