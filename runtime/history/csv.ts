import type { HistoryJob } from './history-job.ts';

/** What an export does not contain. */
type Internal = 'projectUid' | 'uid' | 'clusterUid' | 'requestSha256';

/** A job with its metadata, the JSON text of the request. */
export type ExportedJob = Omit<HistoryJob, Internal> &
  Partial<Pick<HistoryJob, Internal>> & { readonly metadata?: string | undefined };

type CellValue = string | number | null | undefined;

/** Column names of the export. They stay as they are; new columns are added at the end. */
const COLUMNS: Readonly<Record<string, (job: ExportedJob) => CellValue>> = {
  id: ({ id }) => id,
  namespace: ({ namespace }) => namespace,
  name: ({ name }) => name,
  phase: ({ phase }) => phase,
  reason: ({ reason }) => reason,
  created_at: ({ createdAt }) => createdAt,
  started_at: ({ startedAt }) => startedAt,
  finished_at: ({ finishedAt }) => finishedAt,
  duration_ms: ({ durationMs }) => durationMs,
  service: ({ service }) => service,
  bucket: ({ bucketName }) => bucketName,
  key: ({ key }) => key,
  files: ({ files }) => files,
  bytes: ({ bytes }) => bytes,
  created_by: ({ createdBy }) => createdBy,
  webhook_state: ({ webhookState }) => webhookState,
  run_again_of: ({ runAgainOf }) => runAgainOf,
  metadata: ({ metadata }) => metadata,
};
const NAMES = Object.keys(COLUMNS);
const VALUES = Object.values(COLUMNS);

/**
 * Spreadsheets run a cell that starts with one of these as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection), some also with another form of the sign: full-width, small, raised.
 */
const FORMULA = /^[=+\-@\u2212\t\r\n]/;

function isFormula(text: string): boolean {
  return FORMULA.test(String.fromCodePoint(text.codePointAt(0) ?? 0).normalize('NFKC'));
}

/** Every cell is quoted, because a spreadsheet may split an unquoted one at another separator, such as a semicolon. */
function cell(value: CellValue): string {
  const text = String(value ?? '');
  return `"${isFormula(text) ? "'" : ''}${text.replaceAll('"', '""')}"`;
}

/** Without it, Excel reads the file in another encoding. */
const BYTE_ORDER_MARK = '\uFEFF';

function line(cells: readonly CellValue[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

function lastLine(maxRows: number): string {
  return line([
    `The export was cut after ${maxRows} jobs. Export a shorter time or use a narrower filter.`,
    ...Array<undefined>(NAMES.length - 1),
  ]);
}

/**
 * The jobs as CSV (RFC 4180, UTF-8 with a byte order mark): a header, a line for each job in the given order, at most `maxRows` of them, and a last
 * line that says so if there are more. Text that a spreadsheet would run as a formula starts with an apostrophe. Yields one
 * text for each batch of jobs, and reads the next batch only when the text before was taken.
 */
export async function* csvOf(
  batches: AsyncIterable<readonly ExportedJob[]>,
  maxRows: number,
): AsyncGenerator<string, void, undefined> {
  yield BYTE_ORDER_MARK + line(NAMES);
  let left = maxRows;
  for await (const jobs of batches) {
    const taken = jobs.slice(0, left);
    left -= taken.length;
    const isCut = taken.length < jobs.length;
    const text = taken.map((job) => line(VALUES.map((valueOf) => valueOf(job)))).join('');
    yield isCut ? text + lastLine(maxRows) : text;
    if (isCut) return;
  }
}
