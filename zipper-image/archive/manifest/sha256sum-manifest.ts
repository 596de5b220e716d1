import { CHECKSUM_FILE } from '#crds/manifest-files.ts';
import { createChecksumList } from './checksum-list.ts';
import type { Manifest } from './manifest.ts';

/** `sha256sum -c` reads standard input for the name `-`. */
function pathOf(name: string): string {
  return name === '-' ? './-' : name;
}

/** A manifest for `sha256sum -c` in the folder of the unpacked archive. */
export function createSha256sumManifest(): Manifest {
  const list = createChecksumList();
  return {
    add: ({ entry }) => {
      if (entry) list.add(pathOf(entry.name), entry.sha256);
    },
    files: () => [{ name: CHECKSUM_FILE, pieces: list.pieces() }],
  };
}
