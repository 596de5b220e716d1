/** Which recorded parts the store has as they were recorded. */
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from '../store/complete-upload.ts';
import type { ListedPart } from '../store/list-parts.ts';
import { isMd5, withoutQuotes } from '../store/part-verification.ts';
import type { PartRecord } from './types.ts';

/** How long a list may lack parts that the store has confirmed. */
const LATE_LIST_MS = 30_000;
const LIST_AGAIN_MS = 2_000;

/** Some responses quote an ETag and others do not. */
function digestOf(etag: string): number {
  return createHash('sha256').update(withoutQuotes(etag)).digest().readUInt32BE();
}

/** What a checkpoint says about a part. */
export function recordPart({ number, bytes, etag, digests }: Part): PartRecord {
  const etagDigest = digestOf(etag);
  return { number, bytes, etagDigest, ...(digests.kind === 'crc32' && { crc32: digests.crc32 }) };
}

function asMd5(etag: string): Buffer | undefined {
  const digits = withoutQuotes(etag);
  return isMd5(digits) ? Buffer.from(digits, 'hex') : undefined;
}

/** Without a CRC the store verifies parts by their MD5, which is their ETag unless it encrypts them with a key of its own. */
function toPart(listed: ListedPart, { crc32 }: PartRecord): Part {
  const { number, bytes, etag } = listed;
  const md5 = asMd5(etag);
  if (crc32 !== undefined)
    return { number, bytes, etag, etagIsMd5: false, digests: { kind: 'crc32', crc32 } };
  const digests = { kind: 'md5', md5: md5 ?? Buffer.alloc(0) } as const;
  return { number, bytes, etag, etagIsMd5: md5 !== undefined, digests };
}

function isAsRecorded(listed: ListedPart, recorded: PartRecord): boolean {
  const { bytes, etag, crc32 = recorded.crc32 } = listed;
  return bytes === recorded.bytes && digestOf(etag) === recorded.etagDigest && crc32 === recorded.crc32;
}

export interface ListKeptDeps {
  readonly list: () => Promise<readonly ListedPart[]>;
  readonly signal: AbortSignal;
  /** For tests. */
  readonly lateListMs?: number | undefined;
}

/** By number. Lists again while a recorded part is missing, because some stores show a part late. @throws as `list` */
export async function listKept(
  recorded: readonly PartRecord[],
  { list, signal, lateListMs = LATE_LIST_MS }: ListKeptDeps,
): Promise<ReadonlyMap<number, Part>> {
  const until = performance.now() + lateListMs;
  for (;;) {
    const listed = new Map((await list()).map((part) => [part.number, part]));
    if (recorded.every(({ number }) => listed.has(number)) || performance.now() >= until) {
      const kept = recorded.flatMap((record): readonly [number, Part][] => {
        const part = listed.get(record.number);
        return part && isAsRecorded(part, record) ? [[part.number, toPart(part, record)]] : [];
      });
      return new Map(kept);
    }
    await delay(Math.min(LIST_AGAIN_MS, lateListMs / 10), undefined, { signal });
  }
}
