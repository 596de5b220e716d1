import type { Attempt, ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { clockOf, joined } from './lines.ts';

const timesOf = ({ metadata, spec, status = {} }: ZipJob): string => {
  const { creationTimestamp, deletionTimestamp, finalizers = [] } = metadata;
  const at = (what: string, time: string | undefined): string | false =>
    time !== undefined && `${what} ${clockOf(time)}`;
  return joined(
    at('created', creationTimestamp),
    at('started', status.startedAt),
    at('finished', status.finishedAt),
    at('being deleted since', deletionTimestamp),
    deletionTimestamp !== undefined && `finalizers ${finalizers.join(' ') || 'none'}`,
    spec.suspend === true && 'spec.suspend',
    spec.cancel === true && 'spec.cancel',
  );
};

const jobOf = ({ job }: ZipJobStatus): string => {
  if (job === undefined) return 'no Job yet';
  const pod = job.podUid === undefined ? 'no active pod' : `active pod ${job.podName ?? ''} ${job.podUid}`;
  return joined(`Job ${job.name}`, pod, job.node !== undefined && `node ${job.node}`);
};

const attemptOf = ({ n, podUid, exitCode, class: kind, reason, message, upload }: Attempt): string => {
  const facts = joined(
    `pod ${podUid}`,
    exitCode !== undefined && `exit code ${exitCode}`,
    kind,
    reason,
    upload && `upload ${upload.state}`,
  );
  return `attempt ${n}: ${facts}${message === undefined ? '' : `: ${message}`}`;
};

const failureOf = ({ failure, message: ofJob }: ZipJobStatus): string => {
  if (failure === undefined) return '';
  const { code, fileIndex, httpStatus, retriable, message = ofJob } = failure;
  const where = joined(
    fileIndex !== undefined && `file ${fileIndex}`,
    httpStatus !== undefined && `HTTP ${httpStatus}`,
  );
  const facts = joined(code, where, retriable ? 'retriable' : 'not retriable');
  return `failure: ${facts}${message === ofJob ? '' : `: ${message}`}`;
};

const webhookOf = ({ webhook }: ZipJobStatus): string => {
  if (webhook === undefined) return '';
  const { state, attempts, lastStatus } = webhook;
  return joined(
    `webhook ${state}`,
    attempts !== undefined && `deliveries ${attempts}`,
    lastStatus !== undefined && `last status ${lastStatus}`,
  );
};

const progressOf = (status: ZipJobStatus): string => {
  const { progress, upload } = status;
  return joined(
    progress && `files ${progress.display}, bytes read ${progress.bytesRead}`,
    progress && `reported by pod ${progress.podUid} at ${clockOf(progress.updatedAt)}`,
    upload && `upload ${upload.state}`,
    webhookOf(status),
  );
};

const conditionsOf = ({ conditions = [] }: ZipJobStatus): string =>
  conditions.map(({ type, status, reason }) => `${type}=${status} (${reason})`).join(', ');

/**
 * Describes a ZipJob like `kubectl describe`, in few lines and without its files: their URLs may be
 * credentials.
 */
export const describeZipJob = (zipJob: ZipJob): readonly string[] => {
  const { metadata, status = {} } = zipJob;
  const reason = joined(status.phase ?? 'no phase yet', status.reason);
  const message = status.message === undefined ? '' : `: ${status.message}`;
  const conditions = conditionsOf(status);
  const details = [
    timesOf(zipJob),
    jobOf(status),
    ...(status.attempts ?? []).slice(-3).map(attemptOf),
    failureOf(status),
    progressOf(status),
    conditions && `conditions: ${conditions}`,
  ];
  return [
    `ZipJob ${metadata.name}: ${reason}${message}`,
    ...details.filter((line) => line !== '').map((line) => `  ${line}`),
  ];
};
