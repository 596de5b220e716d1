/** What a caller states about a file. API and zipper apply the same rules. */
import type { Expectations } from '#crds/zip-job.ts';
import { defined } from '../collections/optional.ts';

const TYPE_NAME = '[0-9A-Za-z][!#$&^_.+0-9A-Za-z-]*';
/** Names as RFC 6838 permits them, and parameters, which are ignored. */
export const MEDIA_TYPE_PATTERN = String.raw`^${TYPE_NAME}/${TYPE_NAME}[ \t]*(?:;[\t -~]*)?$`;
export const SHA256_PATTERN = '^[0-9A-Fa-f]{64}$';
export const CRC32_PATTERN = '^[0-9A-Fa-f]{8}$';
/** Of a media type with its parameters, in characters. */
export const MEDIA_TYPE_LENGTH = 255;

const MEDIA_TYPE = new RegExp(MEDIA_TYPE_PATTERN, 'u');
const SHA256 = new RegExp(SHA256_PATTERN, 'u');
const CRC32 = new RegExp(CRC32_PATTERN, 'u');

/** The media type in lower case without parameters; undefined if it is not valid. */
export function mediaTypeOf(text: string): string | undefined {
  return text.length <= MEDIA_TYPE_LENGTH && MEDIA_TYPE.test(text)
    ? text.replace(/[ \t;].*$/s, '').toLowerCase()
    : undefined;
}

export type UncheckedExpectations = Readonly<Partial<Record<keyof Expectations, unknown>>>;

type Rule = readonly [isValid: (value: unknown) => boolean, problem: string];

const RULES: Readonly<Record<keyof Expectations, Rule>> = {
  size: [
    (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    `must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`,
  ],
  sha256: [
    (value) => typeof value === 'string' && SHA256.test(value),
    'must be a SHA-256 of 64 hexadecimal digits',
  ],
  crc32: [
    (value) => typeof value === 'string' && CRC32.test(value),
    'must be a CRC-32 of 8 hexadecimal digits',
  ],
  contentType: [
    (value) => typeof value === 'string' && mediaTypeOf(value) !== undefined,
    'must be a media type, such as application/pdf',
  ],
};

const NAMES = Object.keys(RULES) as readonly (keyof Expectations)[];

interface ExpectationFault {
  readonly name: keyof Expectations;
  /** The end of a sentence. Contains no value. */
  readonly problem: string;
}

/** The first invalid expectation of an entry. */
export function expectationFault(entry: UncheckedExpectations): ExpectationFault | undefined {
  const name = NAMES.find((one) => entry[one] !== undefined && !RULES[one][0](entry[one]));
  return name && { name, problem: RULES[name][1] };
}

/** Only what an entry states about its file. */
export function expectationsOf({ size, sha256, crc32, contentType }: Expectations): Expectations {
  return defined({ size, sha256, crc32, contentType });
}
