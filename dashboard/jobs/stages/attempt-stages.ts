import { keptByAttemptText, keptUpload, keptUploadText } from '#administration/jobs/kept-upload.ts';
import { bytesReadText, percentDone } from '#administration/jobs/progress-text.ts';
import { type Condition, findCondition, REASONS } from '#crds/conditions.ts';
import { type Attempt, isFinished, type ZipJob, type ZipJobStatus } from '#crds/zip-job.ts';
import { defined } from '#runtime/collections/optional.ts';
import { FORMAT } from '../../ui/format.ts';
import type { Stage, StageState } from './stage.ts';

/** An attempt that ended has a record; the current one has only its number and the pod. */
type Run = Pick<Attempt, 'n' | 'podUid'> & Partial<Attempt>;

const CLASS_STATES: Readonly<Record<NonNullable<Attempt['class']>, StageState>> = {
  success: 'done',
  permanent: 'failed',
  transient: 'failed',
  oom: 'failed',
  disruption: 'stopped',
  superseded: 'stopped',
};

function isWithin(at: string, { startedAt = '', finishedAt }: Run): boolean {
  return at >= startedAt && (finishedAt === undefined || at <= finishedAt);
}

/** The first progress of the job, if this attempt wrote it. */
function firstProgressOf(run: Run, { startedAt }: ZipJobStatus): string | undefined {
  return startedAt !== undefined && isWithin(startedAt, run) ? startedAt : undefined;
}

function isActive({ status, reason }: Condition): boolean {
  return status === 'False' && reason === 'PodActive';
}

/** When the controller activated the pod of the current attempt. */
function activatedAt({ conditions }: ZipJobStatus): string | undefined {
  const recovered = findCondition(conditions, 'Recovered');
  return recovered && isActive(recovered) ? recovered.lastTransitionTime : undefined;
}

function progressText({ podUid }: Run, { progress }: ZipJobStatus): { reading: string; uploading: string } {
  return progress?.podUid !== podUid
    ? { reading: '', uploading: '' }
    : {
        reading: `${FORMAT.number(progress.filesDone)} of ${FORMAT.count(progress.filesTotal, 'file')}, ${bytesReadText(progress)}`,
        uploading: `${FORMAT.bytes(progress.bytesUploaded)} uploaded`,
      };
}

type Step = 'reading' | 'uploading';

/** The step that a failure code is about; undefined for one that is about neither. */
function failedStep(reason = ''): Step | undefined {
  if (reason.startsWith('Source')) return 'reading';
  return /^(?:Bucket|Store|Object|Archive|Outcome)/.test(reason) ? 'uploading' : undefined;
}

/** Whether the attempt has downloaded and uploaded anything, as far as the status shows. */
function hasWorked(run: Run, status: ZipJobStatus): boolean {
  return (
    run.upload !== undefined ||
    status.progress?.podUid === run.podUid ||
    firstProgressOf(run, status) !== undefined
  );
}

function stateOfStep(step: Step, run: Run, status: ZipJobStatus): StageState {
  if (run.class === 'success') return 'done';
  if (failedStep(run.reason) === step) return 'failed';
  return hasWorked(run, status) ? 'stopped' : 'skipped';
}

function isRead({ progress, upload }: ZipJobStatus): boolean {
  return (
    upload?.state === 'committing' ||
    (progress !== undefined && progress.filesTotal > 0 && progress.filesDone === progress.filesTotal)
  );
}

/** The zipper uploads while it reads, so both steps start together. Nobody records when the last byte was read. */
function endedSteps(run: Run, status: ZipJobStatus): readonly Stage[] {
  const start = firstProgressOf(run, status);
  const { reading, uploading } = progressText(run, status);
  const readingState = stateOfStep('reading', run, status);
  const uploadingState = stateOfStep('uploading', run, status);
  const times = defined({ start, end: run.finishedAt });
  return [
    {
      name: 'Reading',
      state: readingState,
      detail: reading,
      ...(readingState !== 'skipped' && times),
      ...(readingState === 'done' && { endsEarlier: true }),
    },
    {
      name: 'Uploading',
      state: uploadingState,
      detail: uploading,
      ...(uploadingState !== 'skipped' && times),
    },
  ];
}

/** What earlier attempts had done, which says nothing about the pace of this one. Unknown without the size of all sources. */
function keptPercent({ progress, upload }: ZipJobStatus): number | undefined {
  const { resumedBytes } = upload ?? {};
  const { bytesTotal = 0 } = progress ?? {};
  if (resumedBytes === undefined || bytesTotal === 0) return undefined;
  return Math.min(100, Math.floor((resumedBytes / bytesTotal) * 100));
}

type Figures = Pick<Stage, 'percent' | 'keptPercent' | 'expectedEnd'>;

/** What is read is at the top of the page. Both steps have the same figures, because the zipper uploads while it reads. */
function figuresOf({ podUid }: Run, status: ZipJobStatus): Figures {
  const { progress } = status;
  return progress === undefined || progress.podUid !== podUid
    ? {}
    : {
        percent: percentDone(progress),
        ...defined({ keptPercent: keptPercent(status), expectedEnd: progress.estimatedEndAt }),
      };
}

function currentSteps(run: Run, status: ZipJobStatus): readonly Stage[] {
  const start = firstProgressOf(run, status);
  const figures = figuresOf(run, status);
  const { uploading } = progressText(run, status);
  if (!hasWorked(run, status)) return waitingSteps('waiting');
  const isAllRead = isRead(status);
  return [
    {
      name: 'Reading',
      state: isAllRead ? 'done' : 'running',
      ...defined({ start, end: isAllRead ? status.progress?.updatedAt : undefined }),
      ...(isAllRead ? { endsEarlier: true } : figures),
    },
    { name: 'Uploading', state: 'running', detail: uploading, ...defined({ start }), ...figures },
  ];
}

function waitingSteps(state: 'waiting' | 'skipped'): readonly Stage[] {
  return [
    { name: 'Reading', state },
    { name: 'Uploading', state },
  ];
}

function recoveringStage(state: StageState, times: Pick<Stage, 'start' | 'end'>, detail = ''): Stage {
  return {
    name: 'Recovering',
    state,
    detail,
    ...times,
  };
}

/** What the condition says of the last attempt that ended. */
function lastRecovery(run: Run, recovered: Condition): Stage {
  const { status, reason, message, lastTransitionTime: at } = recovered;
  const start = defined({ start: run.finishedAt });
  if (status === 'True' && reason === 'Recovered') return recoveringStage('done', { ...start, end: at });
  if (status === 'True') return recoveringStage('skipped', {}, message);
  if (reason === 'Recovering')
    return recoveringStage('running', start, message === REASONS.Recovering ? '' : message);
  return recoveringStage('failed', { ...start, end: at }, message);
}

/** Whether the attempt after this one continued its upload, or is to continue it. */
function isUploadKept({ n, upload }: Run, { attempts = [], inherits }: ZipJobStatus): boolean {
  if (upload === undefined) return false;
  const next = attempts.find((attempt) => attempt.n === n + 1);
  const kept = next === undefined ? inherits : next.upload;
  return kept?.uploadId === upload.uploadId;
}

/** Of an earlier attempt only the upload is known, which was recovered before the next attempt started, unless it was kept. */
function recoveryOf(run: Run, status: ZipJobStatus): readonly Stage[] {
  if (run.class === 'success') return [];
  const { attempts = [], conditions } = status;
  const recovered = findCondition(conditions, 'Recovered');
  if (attempts.at(-1)?.n === run.n && recovered !== undefined && !isActive(recovered))
    return recovered.reason === 'Inherited' ? [] : [lastRecovery(run, recovered)];
  if (run.upload === undefined || isUploadKept(run, status)) return [];
  return [recoveringStage('done', defined({ start: run.finishedAt }))];
}

function whyEnded({ class: ended, reason, message, exitCode }: Run): string {
  const facts = [reason, exitCode === undefined ? undefined : `exit code ${exitCode}`]
    .filter((fact) => fact !== undefined)
    .join(', ');
  if (ended === 'success') return '';
  return message === undefined ? facts : `${facts}: ${message}`;
}

function endedAttempt(run: Attempt, status: ZipJobStatus): Stage {
  return {
    name: `Attempt ${run.n}`,
    state: run.class === undefined ? 'stopped' : CLASS_STATES[run.class],
    detail: whyEnded(run),
    kept: keptByAttemptText(run),
    ...defined({ start: firstProgressOf(run, status) ?? run.startedAt, end: run.finishedAt }),
    parts: [...endedSteps(run, status), ...recoveryOf(run, status)],
  };
}

function keptText(status: ZipJobStatus): string {
  const kept = keptUpload(status);
  return kept === undefined ? '' : keptUploadText(kept);
}

function currentAttempt(podUid: string, zipJob: ZipJob): Stage {
  const { status = {} } = zipJob;
  const last = status.attempts?.at(-1);
  const activated = activatedAt(status);
  // The first progress of the job is that of an earlier attempt if it is older than this one.
  const run: Run = {
    n: (last?.n ?? 0) + 1,
    podUid,
    ...(last !== undefined && defined({ startedAt: activated ?? last.finishedAt })),
  };
  const start = firstProgressOf(run, status) ?? activated;
  const name = `Attempt ${run.n}`;
  const kept = keptText(status);
  if (!isFinished(zipJob))
    return { name, state: 'running', kept, ...defined({ start }), parts: currentSteps(run, status) };
  // It wrote its result. Its exit is not recorded yet.
  const over: Run = { ...run, class: 'success', ...defined({ finishedAt: status.finishedAt }) };
  return {
    name,
    state: 'done',
    kept,
    ...defined({ start, end: status.finishedAt }),
    parts: endedSteps(over, status),
  };
}

/** The pod of the attempt that is not recorded yet. */
function currentPod({ attempts = [], job }: ZipJobStatus): string | undefined {
  return attempts.some(({ podUid }) => podUid === job?.podUid) ? undefined : job?.podUid;
}

function nextAttempt(n: number, state: 'waiting' | 'skipped', kept = ''): Stage {
  return {
    name: `Attempt ${n}`,
    state,
    kept,
    parts: waitingSteps(state),
  };
}

/** The recorded attempts, the current one, and the one that the job waits for. */
export function attemptStages(zipJob: ZipJob): readonly Stage[] {
  const { status = {} } = zipJob;
  const { attempts = [], phase } = status;
  const ended = attempts.map((attempt) => endedAttempt(attempt, status));
  const podUid = currentPod(status);
  if (podUid !== undefined) return [...ended, currentAttempt(podUid, zipJob)];
  if (!isFinished(zipJob) && phase !== 'Finalizing')
    return [...ended, nextAttempt((attempts.at(-1)?.n ?? 0) + 1, 'waiting', keptText(status))];
  return ended.length > 0 ? ended : [nextAttempt(1, 'skipped')];
}
