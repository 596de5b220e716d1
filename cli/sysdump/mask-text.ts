import { isRecord } from '#runtime/kube/client/decode.ts';
import { cutLine, redactText } from '#runtime/log/redact.ts';

/** Replaces a removed value. */
export const MASK = '[redacted]';

const SECRET_WORD =
  'pass(?:word|wd|phrase)|secret|token|credential|authorization(?!\\.k8s)|cookie|signature|private[-_]?key|api[-_]?key|(?:access|session)[-_]?key';
const SECRET_NAME = new RegExp(`${SECRET_WORD}|^sig$`, 'i');

/** Kubernetes fields whose names suggest secrets but which contain none: names, references, flags. */
const HARMLESS_NAME =
  /(?:names?|ref|pull_?secrets|class|path|dir|file|policy|seconds|bytes|count)$|^(?:secrets?|secretKeyRef|serviceAccountToken|tokenRequests)$/i;

/** True for the name of a field or variable whose value may be a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

/** The rest of a name on either side of the word; bounded, so that long lines stay fast. */
const MORE = '[\\w.-]{0,60}';
const NAME = `${MORE}(?:${SECRET_WORD})${MORE}`;

const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

/** Formats that other programs print, in addition to those that redactText covers. */
const PATTERNS: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [PRIVATE_KEY, MASK],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, MASK],
  // Query parameters, encoded or not, and arguments: --token=..., access_token%3D...
  [
    new RegExp(`((?:${SECRET_WORD}|AWSAccessKeyId|\\bsig)${MORE}(?:=|%3D)["']?)[^\\s&"',;]+`, 'gi'),
    `$1${MASK}`,
  ],
  // A JSON member inside a text, or inside a JSON string there; the latter may mask more than needed.
  [new RegExp(`("${NAME}"\\s{0,9}:\\s{0,9}")(?:[^"\\\\]|\\\\.)*`, 'gi'), `$1${MASK}`],
  [
    new RegExp(`(\\\\"${NAME}\\\\+"\\s{0,9}:\\s{0,9}\\\\+").*?(?=\\\\+"\\s{0,9}[,}\\]]|$)`, 'gim'),
    `$1${MASK}`,
  ],
  // A header inside a text, and a line of YAML.
  [
    /((?:authorization|cookie|x-api-key|x-amz-security-token)["']?[ \t]{0,9}:[ \t]{0,9}["']?)[^\r\n"']+/gi,
    `$1${MASK}`,
  ],
  [new RegExp(`^([ \\t]*(?:- )?["']?${NAME}["']?[ \\t]{0,9}:[ \\t]{1,9})\\S.*$`, 'gim'), `$1${MASK}`],
];

function maskPlain(text: string): string {
  return PATTERNS.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    redactText(text),
  );
}

/** Deeper than any zipjobs object; limits the recursion on foreign objects. */
const MAX_DEPTH = 64;

/** Numbers and booleans are not secrets. */
function maskMember(name: string, value: unknown, depth: number): unknown {
  return isSecretName(name) && (typeof value === 'string' || (typeof value === 'object' && value !== null))
    ? MASK
    : maskValue(value, depth);
}

/** Members such as `{ "name": "TOKEN", "value": "..." }`: variables of a container, headers of a probe. */
function maskNamed(record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return typeof record['name'] === 'string' &&
    typeof record['value'] === 'string' &&
    isSecretName(record['name'])
    ? { ...record, value: MASK }
    : record;
}

/** The same value with all texts masked. Fields with a secret name are masked completely. */
export function maskValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return maskText(value);
  if (depth > MAX_DEPTH) return MASK;
  if (Array.isArray(value)) return value.map((one) => maskValue(one, depth + 1));
  if (!isRecord(value)) return value;
  const members = Object.entries(maskNamed(value));
  return Object.fromEntries(
    members.map(([name, member]) => [maskPlain(name), maskMember(name, member, depth + 1)]),
  );
}

function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Masks everything in a text that looks like a secret. JSON is also masked by member names. */
export function maskText(text: string): string {
  const value = parsed(text);
  return value === undefined ? maskPlain(text) : JSON.stringify(maskValue(value));
}

/** Masks a log line by line. */
export function maskLines(text: string): string {
  // A private key spans several lines.
  const whole = text.replaceAll(PRIVATE_KEY, MASK);
  return whole
    .split('\n')
    .map((line) => maskText(cutLine(line)))
    .join('\n');
}
