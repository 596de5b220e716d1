import {
  activeFilters,
  type HistoryFilterName,
  type HistoryQuery,
  timesOf,
  writeHistoryQuery,
} from './history-query.ts';

const LABELS: Readonly<Record<HistoryFilterName, string>> = {
  q: 'ID or key',
  state: 'State',
  reason: 'Reason',
  bucket: 'Bucket',
  token: 'Token',
  from: 'Finished from',
  to: 'Finished before',
};

function valueOf(query: HistoryQuery, name: HistoryFilterName): string {
  const time = name === 'from' || name === 'to' ? timesOf(query)[name] : '';
  return time === '' ? query[name] : `${time.replace('T', ' ')} UTC`;
}

/** The active filters, each with the page without it. */
export function historyChips(
  path: string,
  query: HistoryQuery,
): readonly { readonly label: string; readonly href: string }[] {
  return activeFilters(query).map((name) => ({
    label: `${LABELS[name]}: ${valueOf(query, name)}`,
    href: path + writeHistoryQuery({ ...query, [name]: '', after: '' }),
  }));
}
