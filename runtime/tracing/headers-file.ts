import { readSettingFile } from '../config/read-setting-file.ts';
import { ConfigError } from '../errors.ts';

const MAX_BYTES = 16 * 1024;
const MAX_HEADERS = 16;
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;
/** They belong to the message, not to the collector. */
const RESERVED = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'host',
  'connection',
]);

/**
 * The headers of a file with one `Name: value` per line. Empty lines are skipped.
 * @throws ConfigError that names the line but not its text, which may be a token
 */
export function readHeadersFile(file: string): Readonly<Record<string, string>> {
  if (file === '') return {};
  const text = readSettingFile('TRACING_HEADERS_FILE', file);
  if (text.length > MAX_BYTES)
    throw new ConfigError(`TRACING_HEADERS_FILE: ${file} is larger than ${MAX_BYTES} bytes`);
  const lines = text.split(/\r?\n/).map((line, index) => ({ line, number: index + 1 }));
  const headers = lines
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => {
      const colon = line.indexOf(':');
      const name = line.slice(0, Math.max(0, colon)).toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (NAME.test(name) && VALUE.test(value) && !RESERVED.has(name)) return [name, value] as const;
      throw new ConfigError(
        `TRACING_HEADERS_FILE: line ${number} of ${file} is not a header that may be set: write it as Name: value`,
      );
    });
  if (headers.length <= MAX_HEADERS) return Object.fromEntries(headers);
  throw new ConfigError(`TRACING_HEADERS_FILE: ${file} has more than ${MAX_HEADERS} headers`);
}
