import type { BucketCredentials } from '#administration/buckets/bucket-input.ts';
import { firstOf } from '#runtime/collections/first-of.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { UsageError } from './usage-error.ts';

export const FORMS =
  'Provide accessKeyId and secretAccessKey, as a JSON object or as lines of the form aws_access_key_id = ...';

const DEFAULT_PROFILE = 'default';

/** The fields of a profile by plain name, with every value that the file has for one. */
type Fields = Map<string, Set<string>>;
/** By name; `''` for lines without one. */
type Profiles = ReadonlyMap<string, Fields>;

/** Credentials, and the profile of the file that they are from. */
interface Found extends BucketCredentials {
  /** Of temporary credentials. */
  readonly sessionToken?: string;
  /** Empty in a file without profiles. */
  readonly profile: string;
  readonly isOneOfSeveral: boolean;
}

/** `AWS_ACCESS_KEY_ID`, `aws_access_key_id`, `AccessKeyId` and `accessKeyId` are equivalent. */
function plainName(name: string): string {
  return name
    .replace(/^\s*export\s/, '')
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/^aws/, '');
}

function add(fields: Fields, name: string, value: string): void {
  const plain = plainName(name);
  fields.set(plain, (fields.get(plain) ?? new Set()).add(value));
}

/** `[ci]`, and `[profile ci]` as in the AWS configuration file; a comment may follow. Undefined for a line with a field. */
function profileOf(line: string, place: string): string | undefined {
  if (!line.startsWith('[')) return undefined;
  const [, name] = /^\[([^\]]*)\]/.exec(line) ?? [];
  if (name === undefined)
    throw new UsageError(`${place} starts with "[" but is not the name of a profile, such as [default]`);
  return name
    .trim()
    .replace(/^profile\s/, '')
    .trim();
}

function addField(fields: Fields, line: string): void {
  const [, name, value = ''] = /^([^=]+)=(.*)$/.exec(line) ?? [];
  if (name !== undefined) add(fields, name, value.trim().replace(/^(["'])(.*)\1$/, '$2'));
}

function readLines(text: string, where: string): Profiles {
  const profiles = new Map<string, Fields>();
  let current = '';
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    const profile = profileOf(line, `${where}: line ${index + 1}`);
    current = profile ?? current;
    const fields = profiles.get(current) ?? new Map<string, Set<string>>();
    profiles.set(current, fields);
    if (profile === undefined) addField(fields, line);
  }
  return profiles;
}

function readJson(text: string, where: string): Profiles {
  const fields: Fields = new Map();
  try {
    const parsed: unknown = JSON.parse(text);
    for (const [name, value] of Object.entries(isRecord(parsed) ? parsed : {}))
      if (typeof value === 'string') add(fields, name, value);
  } catch {
    // The parser's message would quote the text.
    throw new UsageError(`${where} is not valid JSON. ${FORMS}`);
  }
  return new Map([['', fields]]);
}

function choose(profiles: Profiles, where: string, wanted: string | undefined): string {
  const names = [...profiles.keys()];
  const known = firstOf(names.filter((name) => name !== ''));
  if (wanted !== undefined) {
    if (profiles.has(wanted)) return wanted;
    throw new UsageError(`${where} has no profile "${wanted}"${known === '' ? '' : `. It has: ${known}`}`);
  }
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  if (profiles.has(DEFAULT_PROFILE)) return DEFAULT_PROFILE;
  throw new UsageError(`${where} has several profiles: ${known}. Choose one with --profile`);
}

/** Undefined if the profile has none. @throws UsageError if it has several */
function valueOf(fields: Fields, name: string, where: string): string | undefined {
  const [value, ...others] = fields.get(name.toLowerCase()) ?? [];
  if (others.length > 0) throw new UsageError(`${where} contains ${name} twice. Remove one of the values`);
  return value;
}

function required(fields: Fields, name: keyof BucketCredentials, where: string): string {
  const value = valueOf(fields, name, where);
  if (value === undefined) throw new UsageError(`${where} does not contain ${name}. ${FORMS}`);
  return value;
}

/**
 * The credentials of one profile: the given one, the only one, or the default.
 * @throws UsageError that does not quote a credential
 */
export function findCredentials(text: string, where: string, wanted: string | undefined): Found {
  const profiles = text.trimStart().startsWith('{') ? readJson(text, where) : readLines(text, where);
  const profile = choose(profiles, where, wanted);
  const fields = profiles.get(profile) ?? new Map<string, Set<string>>();
  const place =
    profile === '' ? where : `The profile "${profile}" of ${where.charAt(0).toLowerCase()}${where.slice(1)}`;
  const accessKeyId = required(fields, 'accessKeyId', place);
  const secretAccessKey = required(fields, 'secretAccessKey', place);
  const sessionToken = valueOf(fields, 'sessionToken', place) ?? '';
  return {
    accessKeyId,
    secretAccessKey,
    ...(sessionToken !== '' && { sessionToken }),
    profile,
    isOneOfSeveral: profiles.size > 1,
  };
}
