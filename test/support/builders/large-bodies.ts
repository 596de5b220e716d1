/** Bodies of the largest size, for tests and benchmarks of the API. */
import { randomBytes } from 'node:crypto';

const FILES = 10_000;
const WIDE_CHARACTER = '\u{1f600}';

type Build = (bytes: number) => Buffer;

/** Repeats a text, or numbered texts, between a head and a tail. */
function repeated(head: string, unit: string | ((index: number) => string), tail: string): Build {
  return (bytes) => {
    const ends = Buffer.byteLength(head + tail);
    if (typeof unit === 'string') {
      const count = Math.floor((bytes - ends) / Buffer.byteLength(unit));
      return Buffer.from(`${head}${unit.repeat(count)}${tail}`);
    }
    const parts: string[] = [];
    for (let size = ends, index = 0; ; index += 1) {
      const part = unit(index);
      size += part.length;
      if (size > bytes) return Buffer.from(`${head}${parts.join('')}${tail}`);
      parts.push(part);
    }
  };
}

/** Invalid bodies that are expensive to parse, by what they repeat. */
export const HOSTILE_BODIES: Readonly<Record<string, Build>> = {
  'empty entries': repeated('{"urls":[', '{},', '{}]}'),
  'empty arrays': repeated('[', '[],', '[]]'),
  'nested arrays': repeated('[', `${'['.repeat(60)}${']'.repeat(60)},`, '1]'),
  'opening brackets': repeated('', '[', ''),
  'closing brackets': repeated('', ']', ''),
  commas: repeated('{"urls":[', ',', ''),
  spaces: repeated('{"a":', ' ', '1}'),
  'one string': repeated('{"a":"', 'x', '"}'),
  'a string of wide characters': repeated(`{"a":"${WIDE_CHARACTER}`, 'x', '"}'),
  'escaped quotes': repeated('{"a":"', '\\"', '"}'),
  'escaped characters': repeated('{"a":"', '\\u4e00', '"}'),
  'one escaped key': repeated('{"', '\\u0041', '":1}'),
  'an unclosed string': repeated('{"a":"', '\\', ''),
  'one number': repeated('{"a":', '1', '}'),
  'different keys': repeated('{', (index) => `"k${index}${'x'.repeat(40)}":1,`, '"k":1}'),
  'keys without values': repeated('{', (index) => `"${index}",`, ''),
  'long keys': repeated('{', (index) => `"k${index}${'x'.repeat(2_000)}":1,`, '"k":1}'),
  'entries of different keys': repeated('{"urls":[', (index) => `{"k${index}${'x'.repeat(60)}":1},`, '{}]}'),
  'headers of one entry': repeated(
    '{"urls":[{"headers":{',
    (index) => `"h${index}${'x'.repeat(60)}":"",`,
    '"h":""}}]}',
  ),
};

function request(entry: (index: number) => object): Buffer {
  return Buffer.from(
    JSON.stringify({
      bucket_name: 'archive',
      key: 'out/large.zip',
      urls: Array.from({ length: FILES }, (_, index) => entry(index)),
    }),
  );
}

/** Calls of randomBytes for each header would take longer than to read the request. */
const POOL_BYTES = 2 ** 20;
let pool = '';
let used = 0;

/** Random hexadecimal digits, which repeat after two mebibytes. */
function random(characters: number): string {
  if (pool === '') pool = randomBytes(POOL_BYTES).toString('hex');
  if (used + characters > pool.length) used = 0;
  used += characters;
  return pool.slice(used - characters, used);
}

const folder = `${'d'.repeat(190)}/`;

/** The largest valid requests for 10,000 files, by what makes them large: most have nearly 24 MiB of URLs. */
export const LARGEST_REQUESTS = {
  'presigned URLs': () =>
    request((index) => ({
      url: `https://files.example.com/${index}?${random(2_470)}`,
      filename: `${index}.bin`,
    })),
  'URLs with wide characters': () =>
    request((index) => ({
      url: `https://files.example.com/${index}?${WIDE_CHARACTER}${random(2_460)}`,
      filename: `${index}.bin`,
    })),
  'different headers': () =>
    request((index) => ({
      url: `https://files.example.com/${index}`,
      filename: `${index}.bin`,
      headers: Object.fromEntries(
        Array.from({ length: 16 }, (_, header) => [`x-${index}-${header}`, random(150)]),
      ),
    })),
  'long names': () =>
    request((index) => ({
      url: `https://files.example.com/${index}?${random(2_400)}`,
      filename: `${'名'.repeat(80)}/${'名'.repeat(80)}/${random(60)}${index}`,
    })),
  'decomposed names': () =>
    request((index) => ({
      url: `https://files.example.com/${index}?${random(2_400)}`,
      filename: `${'a\u0323\u0307'.repeat(47)}/${'a\u0323\u0307'.repeat(30)}/${index}`,
    })),
} as const;

/** Requests of 10,000 files of which nearly all are invalid, by what is wrong. */
export const FAULTY_REQUESTS = {
  'refused addresses': () =>
    request((index) => ({ url: `http://10.0.0.1/${index}?${random(2_400)}`, filename: `${index}.bin` })),
  'missing fields': () => request((index) => ({ url: `https://files.example.com/${index}` })),
  'equal names': () =>
    request((index) => ({ url: `https://files.example.com/${index}`, filename: `${folder.repeat(4)}same` })),
  'folders that are files': () =>
    request((index) => ({
      url: `https://files.example.com/${index}`,
      filename: `${index % 20}${'/a'.repeat(Math.floor(index / 20))}`,
    })),
  'names that differ in letter case': () =>
    request((index) => ({
      url: `https://files.example.com/${index}`,
      filename: index.toString(2).padStart(14, '0').replaceAll('0', 'a').replaceAll('1', 'A'),
    })),
  'names that Windows refuses': () =>
    request((index) => ({ url: `https://files.example.com/${index}`, filename: `${index}?` })),
} as const;
