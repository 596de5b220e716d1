import { MAX_HISTORY_LIMIT } from '#administration/history-interface.ts';
import { isReason, isTokenId, REASONS_RULE, TOKEN_RULE } from '#administration/job-filter-input.ts';
import { type Phase, SERVICES, SPEC_DEFAULTS, TERMINAL_PHASES } from '#crds/zip-job.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { HistoryApiError } from './api-error.ts';

const NAMES = [
  'phase',
  'reason',
  'service',
  'bucket',
  'key',
  'token',
  'finishedAfter',
  'finishedBefore',
  'limit',
  'cursor',
] as const;
type Name = (typeof NAMES)[number];

function invalid(message: string): HistoryApiError {
  return new HistoryApiError('invalid_request', message);
}

function phasesOf(text: string): readonly Phase[] {
  return text.split(',').map((part) => {
    const phase = TERMINAL_PHASES.find((one) => one === part);
    if (phase === undefined) throw invalid(`phase must be one or more of ${TERMINAL_PHASES.join(', ')}`);
    return phase;
  });
}

function reasonsOf(text: string): readonly string[] {
  const reasons = text.split(',');
  if (reasons.every(isReason)) return reasons;
  throw invalid(`reason ${REASONS_RULE}`);
}

function tokenOf(text: string): string {
  if (isTokenId(text)) return text;
  throw invalid(`token ${TOKEN_RULE}`);
}

function bucketOf(
  bucketName: string,
  service: string = SPEC_DEFAULTS.service,
): NonNullable<JobFilter['bucket']> {
  const known = SERVICES.find((one) => one === service);
  if (known === undefined) throw invalid(`service must be one of ${SERVICES.join(', ')}`);
  return { service: known, bucketName };
}

function timeOf(name: Name, text: string): Date {
  const time = new Date(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/.test(text) && !Number.isNaN(time.getTime());
  // Date takes February 30 for a day of March.
  if (!isTime || !time.toISOString().startsWith(text.slice(0, 10)))
    throw invalid(`${name} must be a time in UTC such as 2026-01-31T12:00:00Z`);
  return time;
}

function limitOf(text: string | undefined): number {
  const limit = text === undefined ? MAX_HISTORY_LIMIT : Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_HISTORY_LIMIT)
    throw invalid(`limit must be an integer from 1 to ${MAX_HISTORY_LIMIT}`);
  return limit;
}

/** Unknown and repeated parameters are refused: a filter that is ignored would list jobs that nobody asked for. */
function textsOf(params: URLSearchParams): Readonly<Partial<Record<Name, string>>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const [given, value] of params) {
    const name = NAMES.find((one) => one === given);
    if (name === undefined) throw invalid(`Unknown parameter. Known are ${NAMES.join(', ')}`);
    if (texts[name] !== undefined) throw invalid(`The parameter ${name} is repeated`);
    texts[name] = value;
  }
  return texts;
}

function timesOf({ finishedAfter, finishedBefore }: Readonly<Partial<Record<Name, string>>>) {
  return {
    ...(finishedAfter !== undefined && { finishedAfter: timeOf('finishedAfter', finishedAfter) }),
    ...(finishedBefore !== undefined && { finishedBefore: timeOf('finishedBefore', finishedBefore) }),
  };
}

/** Reads the query of a list. @throws HistoryApiError invalid_request */
export function readListQuery(projectUid: string, params: URLSearchParams) {
  const texts = textsOf(params);
  const { phase, reason, service, bucket, key, token, limit, cursor } = texts;
  if (service !== undefined && bucket === undefined) throw invalid('service needs the parameter bucket');
  const filter: JobFilter = {
    projectUid,
    ...(phase !== undefined && { phases: phasesOf(phase) }),
    ...(reason !== undefined && { reasons: reasonsOf(reason) }),
    ...(bucket !== undefined && { bucket: bucketOf(bucket, service) }),
    ...(key !== undefined && { key }),
    ...(token !== undefined && { createdBy: tokenOf(token) }),
    ...timesOf(texts),
  };
  return { filter, limit: limitOf(limit), ...(cursor !== undefined && { cursor }) };
}
