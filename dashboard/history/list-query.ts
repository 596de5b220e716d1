import {
  filterProblems,
  HISTORY_FILTER_NAMES,
  type HistoryFilterName,
  toJobFilter,
} from '#administration/jobs/history-filter.ts';
import { MAX_HISTORY_LIMIT } from '#administration/projects/history-interface.ts';
import { HistoryApiError } from './api-error.ts';

type Name = HistoryFilterName | 'limit' | 'cursor';
const NAMES: readonly Name[] = [...HISTORY_FILTER_NAMES, 'limit', 'cursor'];

function invalid(message: string): HistoryApiError {
  return new HistoryApiError('invalid_request', message);
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

/** Reads the query of a list. @throws HistoryApiError invalid_request */
export function readListQuery(projectUid: string, params: URLSearchParams) {
  const { limit, cursor, ...texts } = textsOf(params);
  if (texts.service !== undefined && texts.bucket === undefined)
    throw invalid('service needs the parameter bucket');
  const [problem] = filterProblems(texts);
  if (problem) throw invalid(`${problem.name} ${problem.rule}`);
  return {
    filter: toJobFilter(projectUid, texts),
    limit: limitOf(limit),
    ...(cursor !== undefined && { cursor }),
  };
}
