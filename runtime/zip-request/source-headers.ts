/** Request headers that a caller sets for a source. API and zipper apply the same rules. */
export type SourceHeaders = Readonly<Record<string, string>>;

/** Limits for each source. */
export const SOURCE_HEADER_LIMITS = { headers: 16, nameLength: 128, valueLength: 4096 } as const;
const SOURCE_HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VISIBLE_ASCII = /^[\x20-\x7e]*$/;

/** Headers of the connection and of message framing, and headers with which the zipper requests exact bytes. */
const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'range',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const RESERVED_PREFIXES = ['content-', 'if-', 'proxy-', 'sec-', ':'] as const;

/** Part of a regular expression that ignores case, for engines without a flag for that. */
function anyCase(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}

/** The names that callers may set. isReserved below checks the same rule. */
export const SOURCE_HEADER_NAME_PATTERN = [
  `^(?!(?:${[...RESERVED_NAMES].map(anyCase).join('|')})$)`,
  `(?!${RESERVED_PREFIXES.map(anyCase).join('|')})`,
  SOURCE_HEADER_NAME.source.slice(1),
].join('');

function isReserved(name: string): boolean {
  return RESERVED_NAMES.has(name) || RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix));
}

function nameProblem(name: string): string | undefined {
  if (name.length > SOURCE_HEADER_LIMITS.nameLength || !SOURCE_HEADER_NAME.test(name))
    return 'has an invalid header name';
  return isReserved(name.toLowerCase()) ? `may not set ${name.toLowerCase()}` : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be an object of strings';
  if (value.length > SOURCE_HEADER_LIMITS.valueLength)
    return `has a value of more than ${SOURCE_HEADER_LIMITS.valueLength} characters`;
  if (!VISIBLE_ASCII.test(value) || value !== value.trim())
    return 'has an invalid value: use printable ASCII without leading or trailing spaces';
  return undefined;
}

/**
 * Why the headers are invalid, as the end of a sentence; undefined if they are valid. Contains no header value. Pure.
 */
export function sourceHeadersProblem(headers: unknown): string | undefined {
  if (!isRecord(headers)) return 'must be an object of strings';
  const entries = Object.entries(headers);
  if (entries.length > SOURCE_HEADER_LIMITS.headers)
    return `has more than ${SOURCE_HEADER_LIMITS.headers} headers`;
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  if (names.size < entries.length) return 'has a duplicate header';
  return entries
    .map(([name, value]) => nameProblem(name) ?? valueProblem(value))
    .find((problem) => problem !== undefined);
}

/** Headers of a file list, with names in lower case. Undefined if they break the rules. Pure. */
export function readSourceHeaders(headers: unknown): SourceHeaders | undefined {
  if (sourceHeadersProblem(headers) !== undefined || !isRecord(headers)) return undefined;
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}
