import { REASONS } from '#crds/conditions.ts';
import { FAILURE_CODES } from '#crds/exit-codes.ts';

const FAILURES = Object.entries(FAILURE_CODES).map(([code, { text }]) => [code, text] as const);
const SENTENCES: ReadonlyMap<string, string> = new Map([...Object.entries(REASONS), ...FAILURES]);

/** A sentence about a reason or failure code; empty for an unknown one. */
export function meaningOf(code: string): string {
  return SENTENCES.get(code) ?? '';
}
