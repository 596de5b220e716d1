import type { IncomingMessage } from 'node:http';

/** Positions in a file; `to` is behind the last byte. */
export interface AskedRange {
  readonly from: number;
  readonly to: number;
}

/** The range that a request asks for, of a file of this length. */
export function askedRange({ headers }: IncomingMessage, bytes: number): AskedRange | undefined {
  const [, from, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
  if (from === undefined) return undefined;
  return { from: Number(from), to: last === undefined || last === '' ? bytes : Number(last) + 1 };
}
