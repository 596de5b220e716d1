import { ANNOTATIONS } from '#crds/api-group.ts';
import { type ConditionChange, REASONS, type Reason, rfc3339, shorten } from '#crds/conditions.ts';
import type { HistoryPurge, ZipProject } from '#crds/zip-project.ts';
import { commandOf } from '../cluster/command.ts';
import type { ProjectAction, ProjectObservation } from './observation.ts';

export interface ProjectPurge {
  /** The next record in the status; undefined if there was no command yet. */
  readonly record: HistoryPurge | undefined;
  /** Absent if it does not change. */
  readonly condition?: ConditionChange;
  /** Run after the status is written. */
  readonly actions: readonly ProjectAction[];
}

type PurgeObservation = Pick<ProjectObservation, 'project' | 'hasHistory' | 'purge'>;

function condition(
  status: ConditionChange['status'],
  reason: Reason,
  message: string = REASONS[reason],
): ConditionChange {
  return { type: 'HistoryPurged', status, reason, message: shorten(message) };
}

function event(
  type: 'Normal' | 'Warning',
  { reason, message }: Pick<ConditionChange, 'reason' | 'message'>,
): ProjectAction {
  return { kind: 'recordEvent', note: { type, reason, message } };
}

/** The command that is not carried out yet. Another one waits for one that was started: its records are already incomplete. */
function commandIn({ metadata, status }: ZipProject): HistoryPurge | { readonly nonce: string } | undefined {
  const known = status?.historyPurge;
  if (known && known.finishedAt === undefined) return known;
  const nonce = commandOf(metadata, ANNOTATIONS.purgeHistory, known?.nonce);
  return nonce === undefined ? undefined : { nonce };
}

function finished(record: HistoryPurge, change: ConditionChange, now: Date): ProjectPurge {
  return {
    record: { ...record, finishedAt: rfc3339(now) },
    condition: change,
    actions: [event(change.status === 'True' ? 'Normal' : 'Warning', change)],
  };
}

/**
 * Deletes the records of a project on command. The status has the nonce and the number before anything is deleted, so that another
 * controller continues. A nonce that is finished does nothing.
 */
export function projectPurge({ project, hasHistory, purge }: PurgeObservation, now: Date): ProjectPurge {
  const command = commandIn(project);
  const { uid: projectUid } = project.metadata;
  if (command === undefined || projectUid === undefined)
    return { record: project.status?.historyPurge, actions: purge ? [{ kind: 'forgetPurge' }] : [] };
  const record: HistoryPurge = { startedAt: rfc3339(now), records: 0, ...command };
  if (!hasHistory) return finished(record, condition('False', 'NoHistory'), now);
  const { nonce, records } = record;
  if (purge?.nonce !== nonce) {
    const order = { nonce, projectUid, records };
    return {
      record,
      condition: condition('False', 'PurgingHistory'),
      actions: [{ kind: 'startPurge', order }],
    };
  }
  const counted = { ...record, records: purge.records };
  if (purge.isComplete) {
    const message = `${REASONS.HistoryPurged} Number of records: ${purge.records}.`;
    return finished(counted, condition('True', 'HistoryPurged', message), now);
  }
  const reason = purge.hasFailed === true ? 'HistoryUnavailable' : 'PurgingHistory';
  return { record: counted, condition: condition('False', reason), actions: [] };
}
