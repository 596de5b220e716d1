/** Values that stand for the fields of a file in a document of records. */
import type { EntryForm } from './types.ts';

/** The two low bits of the flags: the form, 0 without an entry. */
export const FORMS = [undefined, 'whole', 'placed', 'encoded'] as const satisfies readonly (
  | EntryForm
  | undefined
)[];

/** Most files have only flags below 128, which take one byte. */
export const FLAGS = {
  /** No CRC yet. */
  unfinished: 4,
  sha256: 8,
  /** As the entry before. The first one is compared with 0. */
  sameTime: 16,
  sameMethod: 32,
  validator: 64,
  segments: 128,
  failure: 256,
  httpStatus: 512,
  lengthUnverified: 1024,
  contentEncoded: 2048,
  headerCrc: 4096,
} as const;
export const ALL_FLAGS = 8191;

export const SHA256_BYTES = 32;

/** What the next entry is compared with. */
export interface Previous {
  time: number;
  method: number;
}

export function createPrevious(): Previous {
  return { time: 0, method: 0 };
}
