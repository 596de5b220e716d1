/** Compares what a source sends with what is stated about its file. */
import { createHash } from 'node:crypto';
import type { Expectations } from '#crds/zip-job.ts';
import { mediaTypeOf } from '#runtime/entries/expectations.ts';
import { crc32 } from '../crc32.ts';
import { elementsOf } from './header-list.ts';
import type { HeaderValue } from './http-get.ts';
import { type SourceFault, SourceFaultError } from './source-error.ts';

function differs(text: string): SourceFault {
  return { code: 'SourceMismatch', text, retryable: false };
}

/** Another request may get other bytes: the source may have changed, or the transfer may have broken them. */
function differsNow(text: string): SourceFault {
  return {
    code: 'SourceMismatch',
    text,
    retryable: true,
    refutesReceived: true,
  };
}

function sizeText(size: number, stated: number): string {
  return `it has ${size} bytes instead of the stated ${stated}`;
}

/** The types of a header, without parameters. Servers and proxies that both add the type repeat it. */
function typesIn(header: string): readonly string[] {
  return elementsOf(header.replace(/;.*$/s, '')).filter((type) => type !== '');
}

/** Different types are none. */
export function mediaTypeIn(value: HeaderValue): string | undefined {
  const types = new Set([value ?? []].flat().flatMap(typesIn).map(mediaTypeOf));
  return types.size === 1 ? [...types][0] : undefined;
}

function assertMediaType(stated: string | undefined, header: HeaderValue): void {
  if (stated === undefined) return;
  const found = mediaTypeIn(header);
  if (mediaTypeOf(stated) === found) return;
  const declared = found === undefined ? 'it declares no valid media type' : `its media type is ${found}`;
  throw new SourceFaultError(differs(`${declared} instead of the stated ${mediaTypeOf(stated)}`));
}

/** True if a body that is cut off differs. */
export function isVerifiable({ size, sha256, crc32: crc }: Expectations): boolean {
  return (size ?? sha256 ?? crc) !== undefined;
}

interface Declared {
  readonly length: number | undefined;
  readonly contentType: HeaderValue;
}

/** Checks what the head of a response declares. @throws SourceFaultError SourceMismatch */
export function assertDeclared(stated: Expectations, { length, contentType: found }: Declared): void {
  const { size, contentType } = stated;
  if (size !== undefined && length !== undefined && length !== size)
    throw new SourceFaultError(differs(sizeText(length, size)));
  assertMediaType(contentType, found);
}

/** @throws SourceFaultError SourceMismatch if the bytes so far are too many */
export function assertNotLonger({ size }: Expectations, received: number): void {
  if (size !== undefined && received > size)
    throw new SourceFaultError(differsNow(`it has more than the stated ${size} bytes`));
}

/** @throws SourceFaultError SourceMismatch */
export function assertSize({ size }: Expectations, received: number): void {
  if (size !== undefined && received !== size)
    throw new SourceFaultError(differsNow(sizeText(received, size)));
}

/** Checksums of a whole body. */
interface Checksums {
  readonly crc: number;
  /** Hexadecimal digits in lower case, if it was computed. */
  readonly sha256?: string | undefined;
}

export function hexOfCrc32(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Checks the bytes of a whole body. */
export function checksumFault(stated: Expectations, { crc, sha256 }: Checksums): SourceFault | undefined {
  if ((stated.sha256 ?? stated.crc32) === undefined) return undefined;
  const pairs = [
    ['SHA-256', stated.sha256, sha256],
    ['CRC-32', stated.crc32, hexOfCrc32(crc)],
  ] as const;
  const wrong = pairs.find(
    ([, want, found]) => want !== undefined && found !== undefined && want.toLowerCase() !== found,
  );
  return (
    wrong && differsNow(`its ${wrong[0]} is ${wrong[2]} instead of the stated ${wrong[1]?.toLowerCase()}`)
  );
}

/** Computes only the checksums that are stated. */
export function checksumsOf(stated: Expectations, chunks: Iterable<Uint8Array>): Checksums {
  const hash = stated.sha256 === undefined ? undefined : createHash('sha256');
  let crc = 0;
  for (const chunk of chunks) {
    hash?.update(chunk);
    if (stated.crc32 !== undefined) crc = crc32(chunk, crc);
  }
  return { crc, sha256: hash?.digest('hex') };
}
