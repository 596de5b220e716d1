import { REASONS } from '#crds/conditions.ts';
import { FAILURE_CODES } from '#crds/zipper-contract.ts';

/** A sentence about a reason or failure code; empty for an unknown one. */
export const meaningOf = (code: string): string => {
  const failures: Readonly<Partial<Record<string, { readonly text: string }>>> = FAILURE_CODES;
  const reasons: Readonly<Partial<Record<string, string>>> = REASONS;
  return failures[code]?.text ?? reasons[code] ?? '';
};
