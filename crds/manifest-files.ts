/** The entries of an archive that describe its files. */
import type { ZipJobSpec } from './zip-job.ts';

export type ManifestChoice = Pick<ZipJobSpec, 'manifestFormat' | 'manifestEntry'>;

/** The name in BagIt (RFC 8493), which `sha256sum -c` reads too. */
export const CHECKSUM_FILE = 'manifest-sha256.txt';

/** The tag files of a bag, in the order in which they are written: the last has the checksums of the others. */
export const BAG_FILES = ['bagit.txt', 'bag-info.txt', CHECKSUM_FILE, 'tagmanifest-sha256.txt'] as const;

/** Names of the entries. Those of a bag are below its base directory, beside the directory of the files. */
export function manifestFiles({ manifestFormat, manifestEntry }: ManifestChoice): readonly string[] {
  if (manifestFormat === 'bagit') return BAG_FILES;
  if (manifestFormat === 'sha256sum') return [CHECKSUM_FILE];
  return manifestEntry === undefined ? [] : [manifestEntry];
}
