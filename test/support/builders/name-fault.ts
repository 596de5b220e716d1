import type { EntryNameProblem } from '#runtime/entries/entry-name.ts';
import type { ManifestNameRules } from '#runtime/entries/manifest-names.ts';
import { findNameFaults, NAME_PROBLEMS } from '#runtime/zip-request/name-faults.ts';

/** The first name that is not allowed in an archive, and why. */
export function nameFault(
  names: readonly string[],
  portableNames: ManifestNameRules['portableNames'] = 'keep',
): { readonly index: number; readonly reason: EntryNameProblem | undefined } | undefined {
  const fault = findNameFaults(names, { portableNames }).find((found) => found !== undefined);
  const reasons = Object.keys(NAME_PROBLEMS) as EntryNameProblem[];
  return fault && { index: fault.index, reason: reasons.find((one) => NAME_PROBLEMS[one] === fault.problem) };
}
