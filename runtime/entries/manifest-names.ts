/** Names of files that the manifest of an archive does not allow. */
import { type ManifestChoice, manifestFiles } from '#crds/manifest-files.ts';
import type { DuplicateNames, PortableNames } from '#crds/zip-job.ts';
import { foldName } from './name-index.ts';

export interface ManifestNameRules extends ManifestChoice {
  readonly portableNames: PortableNames;
  /** Absent: `refuse`. */
  readonly duplicateNames?: DuplicateNames;
}

/** Describes a name that is not allowed; undefined if it is. */
export type ManifestNameCheck = (name: string) => string | undefined;

/**
 * RFC 8493 requires `%25` for a percent sign, which no common validator decodes. The Python validator also ends a line at the
 * line separators of Unicode, and removes spaces at its end.
 */
const MISREAD_IN_BAGS = /[%\u2028\u2029]|\s$/u;
const MISREAD =
  'contains a percent sign, a line separator, or a space at its end, which BagIt validators misread in a manifest';

function inEachOther(a: string, b: string): boolean {
  return a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** The check of each name as it would be in the archive. The names must be valid otherwise. */
export function createManifestNameCheck(rules: ManifestNameRules): ManifestNameCheck {
  const { manifestFormat, portableNames } = rules;
  if (manifestFormat === 'bagit') return (name) => (MISREAD_IN_BAGS.test(name) ? MISREAD : undefined);
  const [entry] = manifestFiles(rules);
  if (entry === undefined) return () => undefined;
  const compared = portableNames === 'keep' ? (name: string) => name.normalize('NFC') : foldName;
  const taken = compared(entry);
  return (name) => {
    const candidate = compared(name);
    return candidate === taken || inEachOther(candidate, taken)
      ? `conflicts with the name of the manifest, ${JSON.stringify(entry)}`
      : undefined;
  };
}
