/** Every kind of archive that the zipper can write, as far as a reader can distinguish them. */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Compression } from '#crds/zip-job.ts';
import type { Given } from '#test/support/archives/make-archive.ts';
import type { ArchiveOptions } from '#zipper-image/archive/archive.ts';

export interface ArchiveKind {
  readonly name: string;
  readonly files: readonly Given[];
  readonly compression: Compression;
  readonly options?: Partial<ArchiveOptions>;
  /** Readers that are known to fail on it; it is written only when an operator enables it. */
  readonly notReadBy?: readonly string[];
}

const random = randomBytes(300_000);
const text = Buffer.from('the same words over and over, '.repeat(20_000));
const empty = Buffer.alloc(0);
/** Bytes that look like the start of every record of an archive, among bytes that do not compress. */
const signatures = Buffer.concat([
  Buffer.from('PK\x03\x04 PK\x07\x08 PK\x01\x02 PK\x05\x06 PK\x06\x06 PK\x06\x07', 'latin1'),
  randomBytes(70_000),
  Buffer.from('PK\x07\x08\0\0\0\0PK\x03\x04\x14\0\0\0\0\0', 'latin1'),
]);

const NAMES = [
  'plain.txt',
  'with blanks and (brackets) [x].txt',
  'dir/in/dir/file.bin',
  'ünïcödé/名前/😀.txt',
  'decomposed-u\u0308.txt',
  `${'x'.repeat(200)}.bin`,
  '-rf',
  '#hash & percent %41',
];

const PLAIN_KINDS: readonly ArchiveKind[] = [
  {
    name: 'small entries, stored',
    compression: 'store',
    files: [0, 1, 5, 65_535, 300_000].map((size) => ({
      name: `${size}.bin`,
      body: random.subarray(0, size),
      small: true,
    })),
  },
  {
    name: 'small entries, deflated',
    compression: 'deflate',
    files: [
      { name: 'a.txt', body: text, small: true },
      { name: 'b.txt', body: text.subarray(0, 100), small: true },
      { name: 'c.bin', body: random, small: true },
    ],
  },
  {
    name: 'entries that stream, not compressed',
    compression: 'store',
    files: [0, 1, 65_534, 65_535, 65_536, 131_070, 300_000].map((size) => ({
      name: `${size}.bin`,
      body: random.subarray(0, size),
    })),
  },
  {
    name: 'entries whose CRC-32 is known before',
    compression: 'store',
    files: [0, 1, 65_535, 300_000].map((size) => {
      const body = random.subarray(0, size);
      return { name: `${size}.bin`, body, crc32: crc32(body) };
    }),
  },
  {
    name: 'entries that stream, without a declared length',
    compression: 'store',
    files: [0, 1, 65_535, 65_536, 300_000].map((size) => ({
      name: `${size}.bin`,
      body: random.subarray(0, size),
      declared: false,
    })),
  },
  {
    name: 'entries that stream, deflated',
    compression: 'deflate',
    files: [
      { name: 'text', body: text },
      { name: 'unknown length', body: text, declared: false },
      { name: 'noise', body: random },
      { name: 'nothing', body: empty },
    ],
  },
  {
    name: 'all forms in one',
    compression: 'auto',
    files: [
      { name: 'streamed.bin', body: random },
      { name: 'small.bin', body: random, small: true },
      { name: 'small.txt', body: text, small: true },
      { name: 'streamed.txt', body: text },
      { name: 'unknown.txt', body: text, declared: false },
      { name: 'empty', body: empty, small: true },
      { name: 'empty-streamed', body: empty },
    ],
  },
];

export function archiveKinds(nested: Buffer): readonly ArchiveKind[] {
  return [
    ...PLAIN_KINDS,
    {
      name: 'archives and signatures inside',
      compression: 'store',
      files: [
        { name: 'nested.zip', body: nested },
        { name: 'nested-small.zip', body: nested, small: true },
        { name: 'signatures', body: signatures },
        { name: 'signatures-small', body: signatures, small: true },
        { name: 'signatures-unknown', body: signatures, declared: false },
      ],
    },
    {
      name: 'names',
      compression: 'auto',
      files: NAMES.map((name, index) => ({ name, body: Buffer.from(name), small: index % 2 === 0 })),
    },
    {
      name: 'times at the ends of the range',
      compression: 'store',
      files: ['1970-01-01', '1980-01-01', '2038-01-20', '2107-12-31', '2200-01-01'].map((day) => ({
        name: day,
        body: random,
        small: day < '2000',
        modified: new Date(day),
      })),
    },
    {
      name: 'nothing but an empty file',
      compression: 'store',
      files: [{ name: 'empty', body: empty, small: true }],
    },
    {
      name: 'zip64 for unknown lengths (a setting)',
      compression: 'auto',
      files: [
        { name: 'unknown.bin', body: random, declared: false },
        { name: 'unknown.txt', body: text, declared: false },
        { name: 'known.bin', body: random },
      ],
      options: { zip64ForUnknownLength: true },
      notReadBy: ['JDK ZipInputStream', 'Perl Archive::Zip'],
    },
  ];
}
