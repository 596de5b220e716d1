/** Bodies generated from a seed: nearly valid requests, random JSON, damaged text, and bodies of the largest size. */

import { API_SETTINGS } from '#api/config.ts';
import { HOSTILE_BODIES, LARGEST_REQUESTS } from '#test/support/builders/large-bodies.ts';
import type { Random } from '#test/support/random.ts';

const SPACES = ['', '', '', ' ', '\n', '\t\r ', '  '] as const;
const SCALARS = String.raw`null true false 0 -0 1.0 1e400 -1E-7 12345678901234567890 "" "a" "\ud800" "\u0000"
"\"\\" "]}," "\u0041\n" "é" "😀" 1 [] {}`.split(/\s/);
const KEYS =
  String.raw`"url" "filename" "headers" "metadata" "urls" "object" "key" "bucket_name" "service" "u\u0072ls"
"meta\u0064ata" "__proto__" "constructor" "" "a" "1" "é" "\ud83d\ude00"`.split(/\s/);
const DAMAGES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '0',
  'nul',
  '\u0000',
  '\ufeff',
  ' ',
  '\\u12',
] as const;
const LARGEST_BYTES = API_SETTINGS.maxBodyBytes.default;
const DEEPEST = 70;

function join(random: Random, parts: readonly string[]): string {
  return parts.map((part) => random.pick(SPACES) + part + random.pick(SPACES)).join(',');
}

function list(random: Random, most: number, one: () => string): string[] {
  return Array.from({ length: random.int(0, most) }, one);
}

function objectOf(random: Random, depth: number, width: number): string {
  return `{${join(
    random,
    list(random, width, () => `${random.pick(KEYS)}:${valueOf(random, depth - 1, width)}`),
  )}}`;
}

function valueOf(random: Random, depth: number, width: number): string {
  if (depth <= 0 || random.next() < 0.4) return random.pick(SCALARS);
  if (random.next() < 0.5) return objectOf(random, depth, width);
  return `[${join(
    random,
    list(random, width, () => valueOf(random, depth - 1, width)),
  )}]`;
}

function entryOf(random: Random): string {
  if (random.next() < 0.1) return valueOf(random, 3, 3);
  const more = random.next() < 0.2 ? `,${random.pick(KEYS)}:${valueOf(random, 3, 2)}` : '';
  return `{"url":"https://a.example.com/${random.int(0, 99)}","filename":"f${random.int(0, 999)}"${more}}`;
}

function requestOf(random: Random): string {
  const entries = list(random, random.pick([3, 40, 1_500]), () => entryOf(random));
  const members = [
    `"urls":[${join(random, entries)}]`,
    `"metadata":${random.next() < 0.8 ? objectOf(random, 5, 4) : valueOf(random, 3, 3)}`,
    '"bucket_name":"archive"',
    '"key":"k"',
    ...list(random, 2, () => `${random.pick(KEYS)}:${valueOf(random, 4, 3)}`),
  ];
  return `{${join(
    random,
    members.sort(() => random.next() - 0.5),
  )}}`;
}

function nested(random: Random): string {
  const levels = random.int(1, DEEPEST);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  return `{"metadata":${open.repeat(levels)}1${close.repeat(levels)}}`;
}

function damaged(random: Random, text: string): string {
  const at = random.int(0, text.length);
  const cut = random.int(0, random.pick([1, 1, 30, text.length]));
  const added = random.next() < 0.7 ? random.pick(DAMAGES) : text.slice(at, at + 20);
  return text.slice(0, at) + added + text.slice(at + cut);
}

function small(random: Random): Buffer {
  const kind = random.next();
  let text = kind < 0.6 ? requestOf(random) : kind < 0.8 ? objectOf(random, 8, 6) : nested(random);
  for (let times = random.pick([0, 0, 0, 1, 1, 3]); times > 0; times -= 1) text = damaged(random, text);
  const bytes = Buffer.from(text);
  if (random.next() < 0.05 && bytes.length > 0) bytes[random.int(0, bytes.length - 1)] = random.int(128, 255);
  return bytes;
}

function large(random: Random): Buffer {
  if (random.next() < 0.2) return random.pick(Object.values(LARGEST_REQUESTS))();
  const body = random.pick(Object.values(HOSTILE_BODIES))(random.pick([LARGEST_BYTES, LARGEST_BYTES / 8]));
  return random.next() < 0.7 ? body : body.subarray(0, random.int(1, body.length));
}

/** One body in forty is large. */
export function hostileBody(random: Random): Buffer {
  return random.next() < 1 / 40 ? large(random) : small(random);
}
