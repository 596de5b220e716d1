/**
 * A strict reader of zip archives for tests, written from the format's specification and sharing no code with
 * the writer. It reads every record, requires them to be adjacent, and requires both headers of an entry to
 * agree.
 */
import { crc32, inflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly nameBytes: Buffer;
  readonly method: number;
  readonly flags: number;
  readonly madeBy: number;
  readonly versionLocal: number;
  readonly versionCentral: number;
  readonly externalAttributes: number;
  readonly crc: number;
  readonly size: number;
  readonly compressedSize: number;
  readonly offset: number;
  readonly dosTime: number;
  readonly dosDate: number;
  /** From the 0x5455 field of both headers, which must agree. */
  readonly unixSeconds: number | undefined;
  /** IDs of the extra fields of each header, in order. */
  readonly localExtras: readonly number[];
  readonly centralExtras: readonly number[];
  /** Bytes of the data descriptor; 0 when there is none. */
  readonly descriptorBytes: number;
  /** The compressed data of the entry. */
  readonly raw: Buffer;
}

/** The bytes of an archive: a Buffer, or a file that is too large for one. */
export type ZipBytes = Pick<
  Buffer,
  'length' | 'readUInt16LE' | 'readUInt32LE' | 'readUIntLE' | 'readBigUInt64LE' | 'subarray'
>;

export interface ZipFile {
  readonly entries: readonly ZipEntry[];
  readonly hasZip64End: boolean;
}

function demand(condition: boolean, problem: string): void {
  if (!condition) throw new Error(`bad archive: ${problem}`);
}

interface Extra {
  readonly id: number;
  readonly data: Buffer;
}

function readExtras(bytes: Buffer): readonly Extra[] {
  const extras: Extra[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt16LE(at + 2);
    extras.push({ id: bytes.readUInt16LE(at), data: bytes.subarray(at + 4, at + 4 + length) });
    at += 4 + length;
    demand(at <= bytes.length, 'an extra field is longer than its space');
  }
  return extras;
}

interface End {
  readonly entries: number;
  readonly size: number;
  readonly offset: number;
  readonly hasZip64: boolean;
  readonly start: number;
}

function readEnd(zip: ZipBytes): End {
  const at = zip.length - 22;
  demand(zip.readUInt32LE(at) === 0x06054b50, 'no end record without a comment');
  demand(zip.readUInt32LE(at + 4) === 0 && zip.readUInt16LE(at + 20) === 0, 'disks or a comment');
  const end = {
    entries: zip.readUInt16LE(at + 10),
    size: zip.readUInt32LE(at + 12),
    offset: zip.readUInt32LE(at + 16),
  };
  const hasZip64 = at >= 20 && zip.readUInt32LE(at - 20) === 0x07064b50;
  if (!hasZip64) return { ...end, hasZip64, start: at };
  const start = Number(zip.readBigUInt64LE(at - 12));
  demand(zip.readUInt32LE(start) === 0x06064b50, 'no zip64 end record where the locator points');
  demand(start + 56 === at - 20, 'the zip64 end record does not end at its locator');
  return {
    entries: Number(zip.readBigUInt64LE(start + 32)),
    size: Number(zip.readBigUInt64LE(start + 40)),
    offset: Number(zip.readBigUInt64LE(start + 48)),
    hasZip64,
    start,
  };
}

const NO_FIELD = Buffer.alloc(0);

function timeField(extras: readonly Extra[]): Buffer | undefined {
  return extras.find(({ id }) => id === 0x5455)?.data;
}

/** Fills in the values of a zip64 field, in the order of the format. */
function widen(values: readonly number[], extras: readonly Extra[]): readonly number[] {
  const data = extras.find(({ id }) => id === 1)?.data;
  let at = 0;
  const wide = values.map((value) => {
    if (value !== 0xffffffff) return value;
    demand(data !== undefined && at + 8 <= data.length, 'a size is missing in the zip64 field');
    const found = Number(data?.readBigUInt64LE(at));
    at += 8;
    return found;
  });
  demand(at === (data?.length ?? 0), 'a zip64 field with additional values');
  return wide;
}

function readDescriptor(
  zip: ZipBytes,
  { at, wide }: { readonly at: number; readonly wide: boolean },
  want: Partial<ZipEntry>,
): number {
  demand(zip.readUInt32LE(at) === 0x08074b50, `no descriptor at ${at}`);
  demand(zip.readUInt32LE(at + 4) === want.crc, 'the CRC of the descriptor differs');
  const [compressed, size] = wide
    ? [Number(zip.readBigUInt64LE(at + 8)), Number(zip.readBigUInt64LE(at + 16))]
    : [zip.readUInt32LE(at + 8), zip.readUInt32LE(at + 12)];
  demand(compressed === want.compressedSize && size === want.size, 'the sizes of the descriptor differ');
  return wide ? 24 : 16;
}

function readEntry(zip: ZipBytes, at: number): { entry: ZipEntry; next: number; dataEnd: number } {
  demand(zip.readUInt32LE(at) === 0x02014b50, `no directory record at ${at}`);
  const nameLength = zip.readUInt16LE(at + 28);
  const extraLength = zip.readUInt16LE(at + 30);
  demand(zip.readUInt16LE(at + 32) === 0, 'a comment');
  const nameBytes = zip.subarray(at + 46, at + 46 + nameLength);
  const extras = readExtras(zip.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength));
  const [size = 0, compressedSize = 0, offset = 0] = widen(
    [zip.readUInt32LE(at + 24), zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 42)],
    extras,
  );
  const flags = zip.readUInt16LE(at + 8);
  const crc = zip.readUInt32LE(at + 16);
  const time = timeField(extras);

  demand(zip.readUInt32LE(offset) === 0x04034b50, `no local header at ${offset}`);
  for (const [local, central, length, what] of [
    [6, 8, 2, 'flags'],
    [8, 10, 2, 'method'],
    [10, 12, 4, 'time'],
    [26, 28, 2, 'length of the name'],
  ] as const)
    demand(
      zip.readUIntLE(offset + local, length) === zip.readUIntLE(at + central, length),
      `both headers differ in ${what}`,
    );
  const localExtraLength = zip.readUInt16LE(offset + 28);
  demand(zip.subarray(offset + 30, offset + 30 + nameLength).equals(nameBytes), 'both names differ');
  const localExtras = readExtras(
    zip.subarray(offset + 30 + nameLength, offset + 30 + nameLength + localExtraLength),
  );
  demand(
    (timeField(localExtras) ?? NO_FIELD).equals(time ?? NO_FIELD),
    'both headers differ in the timestamp',
  );
  const dataStart = offset + 30 + nameLength + localExtraLength;
  const hasDescriptor = (flags & 8) !== 0;
  if (!hasDescriptor) {
    demand(zip.readUInt32LE(offset + 14) === crc, 'both CRCs differ');
    demand(zip.readUInt32LE(offset + 18) === compressedSize, 'both compressed sizes differ');
    demand(zip.readUInt32LE(offset + 22) === size, 'both sizes differ');
  }
  const wide = localExtras.some(({ id }) => id === 1);
  const dataEnd = dataStart + compressedSize;
  const descriptorBytes = hasDescriptor
    ? readDescriptor(zip, { at: dataEnd, wide }, { crc, compressedSize, size })
    : 0;
  const entry: ZipEntry = {
    name: nameBytes.toString('utf8'),
    nameBytes,
    method: zip.readUInt16LE(at + 10),
    flags,
    madeBy: zip.readUInt16LE(at + 4) >> 8,
    versionLocal: zip.readUInt16LE(offset + 4),
    versionCentral: zip.readUInt16LE(at + 6),
    externalAttributes: zip.readUInt32LE(at + 38),
    crc,
    size,
    compressedSize,
    offset,
    dosTime: zip.readUInt16LE(at + 12),
    dosDate: zip.readUInt16LE(at + 14),
    unixSeconds: time?.readUInt32LE(1),
    localExtras: localExtras.map(({ id }) => id),
    centralExtras: extras.map(({ id }) => id),
    descriptorBytes,
    get raw() {
      return zip.subarray(dataStart, dataEnd);
    },
  };
  return { entry, next: at + 46 + nameLength + extraLength, dataEnd: dataEnd + descriptorBytes };
}

/** @throws Error that names the problem of the archive. */
export function readZip(zip: ZipBytes): ZipFile {
  const end = readEnd(zip);
  const entries: ZipEntry[] = [];
  let at = end.offset;
  let tiled = 0;
  for (let index = 0; index < end.entries; index += 1) {
    const { entry, next, dataEnd } = readEntry(zip, at);
    demand(entry.offset === tiled, `entry ${index} does not start where the previous one ends`);
    tiled = dataEnd;
    at = next;
    entries.push(entry);
  }
  demand(tiled === end.offset, 'the directory does not start where the last entry ends');
  demand(at === end.start && at - end.offset === end.size, 'the directory does not have its declared size');
  return { entries, hasZip64End: end.hasZip64 };
}

/** The entry's content, with size and CRC checked. */
export function contentOf(entry: ZipEntry): Buffer {
  const content = entry.method === 0 ? entry.raw : inflateRawSync(entry.raw);
  demand(
    content.length === entry.size,
    `"${entry.name}" has ${content.length} bytes instead of ${entry.size}`,
  );
  demand(crc32(content) === entry.crc, `the CRC of "${entry.name}" is wrong`);
  return Buffer.from(content);
}
