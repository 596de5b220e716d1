import { toJobFilter } from '#administration/jobs/history-filter.ts';
import { SERVICES, TERMINAL_PHASES } from '#crds/zip-job.ts';
import type { JobFilter } from '#runtime/history/job-filter.ts';
import { type JobQuery, minuteMs, minuteText, periodStartMs, valuesOf } from '../jobs/job-query.ts';
import { readSearchText } from '../jobs/search-text.ts';

/** The same search in the history as in the list of jobs, but for a latest creation time, which the history does not know. */
export function fromJobQuery(query: JobQuery, now: Date): Partial<JobQuery> {
  const { text, state, reason, bucket, token, finishedWithin, finishedTo } = query;
  const isKeyPart = readSearchText(text).kind === 'key' && text !== '' && !text.includes('*');
  // No job finishes before it is created.
  const starts = [periodStartMs(query.within, now), minuteMs(query.from), minuteMs(query.finishedFrom)];
  const given = starts.filter((ms) => ms !== undefined);
  return {
    text: isKeyPart ? `*${text}*` : text,
    state: valuesOf(state)
      .filter((one) => TERMINAL_PHASES.some((phase) => phase === one))
      .join(','),
    reason,
    bucket,
    token,
    finishedWithin,
    finishedFrom: given.length === 0 ? '' : minuteText(Math.max(...given)),
    finishedTo,
  };
}

function searchFilter(text: string): Pick<JobFilter, 'id' | 'idPrefix' | 'key'> {
  if (text === '') return {};
  const search = readSearchText(text);
  if (search.kind === 'id') return { id: search.id };
  return search.kind === 'key' ? { key: search.key } : { idPrefix: search.prefix };
}

function bucketTexts(text: string) {
  const service = SERVICES.find((one) => text.startsWith(`${one}/`));
  return service === undefined ? { bucket: text } : { service, bucket: text.slice(service.length + 1) };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** What a query without errors selects in a project. */
export function historyFilter(projectUid: string, query: JobQuery, now: Date): JobFilter {
  const { text, state, reason, bucket, token, finishedWithin, finishedFrom, finishedTo } = query;
  const starts = [periodStartMs(finishedWithin, now), minuteMs(finishedFrom)].filter(
    (ms) => ms !== undefined,
  );
  const endMs = minuteMs(finishedTo);
  const texts = {
    ...(state !== '' && { phase: state }),
    ...(reason !== '' && { reason }),
    ...(bucket !== '' && bucketTexts(bucket)),
    ...(token !== '' && { token }),
    ...(starts.length > 0 && { finishedAfter: timeOf(Math.max(...starts)) }),
    ...(endMs !== undefined && { finishedBefore: timeOf(endMs) }),
  };
  return { ...toJobFilter(projectUid, texts), ...searchFilter(text) };
}
