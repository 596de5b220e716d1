/**
 * One key of a bucket. A Complete has two steps, lists and HEAD show an earlier state, responses get lost, and requests arrive late.
 * Never more than `LAG_MS` of what the zipper must expect.
 */
import { createHash } from 'node:crypto';
import type { Random } from '#test/support/random.ts';
import type { Part } from '#zipper-image/store/complete-upload.ts';
import { withoutQuotes } from '#zipper-image/store/part-verification.ts';
import type { Mistake } from './mistakes.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How long a list or HEAD may show an earlier state. STORE_CONSISTENCY_MS is longer. */
const LAG_MS = 10_000;
/** Bytes that one unit of the model stands for. */
export const UNIT_BYTES = 512 * 1024 ** 2;

export interface StoredPart {
  readonly number: number;
  readonly text: string;
  readonly units: number;
  readonly etag: string;
  readonly atMs: number;
}

export interface StoredUpload {
  readonly uploadId: string;
  readonly owner: string;
  readonly startedMs: number;
  endedMs: number;
  /** Every version of every part, by time. */
  readonly parts: StoredPart[];
}

/** An archive whose Complete was accepted. */
export interface Publication {
  readonly uploadId: string;
  readonly owner: string;
  readonly text: string;
  readonly bytes: number;
  readonly etag: string;
  readonly shownMs: number;
}

export type Refusal = 'NoSuchUpload' | 'InvalidPart';

function md5(text: string): Buffer {
  return createHash('md5').update(text).digest();
}

/** The newest version of each part at a time, by number. */
export function partsAt({ parts }: StoredUpload, ms: number): readonly StoredPart[] {
  const newest = new Map<number, StoredPart>();
  for (const part of parts) if (part.atMs <= ms) newest.set(part.number, part);
  return [...newest.values()].toSorted((one, other) => one.number - other.number);
}

/** The state of the key, without the ways in which requests fail. */
export class ModelBucket {
  readonly uploads = new Map<string, StoredUpload>();
  readonly publications: Publication[] = [];
  /** ETags say nothing about the bytes of a part, as with SSE-KMS. */
  readonly hasOpaqueEtags: boolean;
  /** The credentials may not list parts. */
  readonly hidesParts: boolean;
  readonly time: VirtualTime;
  readonly random: Random;
  /** Lists say that all uploads were started at once. */
  readonly hidesAges: boolean;
  readonly #takesAnyParts: boolean;
  #ids = 0;

  constructor(time: VirtualTime, random: Random, mistake: Mistake | undefined) {
    this.time = time;
    this.random = random;
    this.#takesAnyParts = mistake === 'completesAnyParts';
    this.hidesAges = mistake === 'sweepsUnfenced';
    this.hasOpaqueEtags = random.next() < 0.15;
    this.hidesParts = random.next() < 0.05;
  }

  /** Uploads that were neither completed nor aborted. */
  get open(): readonly StoredUpload[] {
    return [...this.uploads.values()].filter(({ endedMs }) => endedMs === Infinity);
  }

  /** A time whose state a list may show. */
  get listedMs(): number {
    return this.time.nowMs - (this.random.next() < 0.5 ? 0 : this.random.int(0, LAG_MS));
  }

  find(uploadId: string, ms = this.time.nowMs): StoredUpload | undefined {
    const upload = this.uploads.get(uploadId);
    return upload && upload.startedMs <= ms && upload.endedMs > ms ? upload : undefined;
  }

  create(owner: string): string {
    this.#ids += 1;
    const uploadId = `upload-${this.#ids}`;
    const startedMs = this.time.nowMs;
    this.uploads.set(uploadId, { uploadId, owner, startedMs, endedMs: Infinity, parts: [] });
    return uploadId;
  }

  put(uploadId: string, part: Pick<StoredPart, 'number' | 'text' | 'units'>): StoredPart | Refusal {
    const upload = this.find(uploadId);
    if (!upload) return 'NoSuchUpload';
    const seed = this.hasOpaqueEtags ? String(this.random.next()) : '';
    const stored = { ...part, etag: md5(part.text + seed).toString('hex'), atMs: this.time.nowMs };
    upload.parts.push(stored);
    return stored;
  }

  abort(uploadId: string): 'aborted' | Refusal {
    const upload = this.find(uploadId);
    if (!upload) return 'NoSuchUpload';
    upload.endedMs = this.time.nowMs;
    return 'aborted';
  }

  complete(uploadId: string, wanted: readonly Part[]): Publication | Refusal {
    const upload = this.find(uploadId);
    if (!upload) return 'NoSuchUpload';
    const stored = new Map(partsAt(upload, this.time.nowMs).map((part) => [part.number, part]));
    const parts = wanted.map(({ number, etag }) => {
      const part = stored.get(number);
      return this.#takesAnyParts || part?.etag === withoutQuotes(etag) ? part : undefined;
    });
    const found = parts.filter((part) => part !== undefined);
    if (found.length < parts.length) return 'InvalidPart';
    upload.endedMs = this.time.nowMs;
    const sums = Buffer.concat(found.map(({ etag }) => Buffer.from(etag, 'hex')));
    const hash = createHash('md5').update(sums).digest('hex');
    const published = {
      uploadId,
      owner: upload.owner,
      text: found.map(({ text }) => text).join(''),
      bytes: found.reduce((sum, { units }) => sum + units * UNIT_BYTES, 0),
      etag: `${hash}-${found.length}`,
      shownMs: this.time.nowMs + this.random.pick([0, 0, 3_000, 20_000, 60_000]),
    };
    this.publications.push(published);
    return published;
  }

  /** The object at the key at a time. */
  object(ms: number): Publication | undefined {
    return this.publications.findLast(({ shownMs }) => shownMs <= ms);
  }
}
