import { createHash } from 'node:crypto';
import { BAG_FILES } from '#crds/manifest-files.ts';
import { createChecksumList } from './checksum-list.ts';
import type { Manifest, ManifestFile } from './manifest.ts';

const DECLARATION = 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n';

function sha256Of(pieces: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** The checksums of the other tag files. */
function tagManifest(files: readonly ManifestFile[]): readonly Uint8Array[] {
  const list = createChecksumList();
  for (const { name, pieces } of files) list.add(name, sha256Of(pieces));
  return list.pieces();
}

export interface BagOptions {
  /** Name of the base directory. */
  readonly base: string;
  /** Time of the entries that have no time of their own. The date of the bag follows from it, so that the same job gives the same bytes. */
  readonly time: Date;
}

/** The tag files of a BagIt bag (RFC 8493), beside the folder `data` that contains the files. */
export function createBagManifest({ base, time }: BagOptions): Manifest {
  const payload = createChecksumList();
  let octets = 0;
  return {
    add: ({ entry }) => {
      if (!entry) return;
      payload.add(entry.name.slice(base.length + 1), entry.sha256);
      octets += entry.size;
    },
    files: () => {
      const [declaration, info, manifest, tags] = BAG_FILES;
      const date = time.toISOString().slice(0, 10);
      const files = [
        { name: declaration, pieces: [Buffer.from(DECLARATION)] },
        {
          name: info,
          pieces: [Buffer.from(`Bagging-Date: ${date}\nPayload-Oxum: ${octets}.${payload.count}\n`)],
        },
        { name: manifest, pieces: payload.pieces() },
      ];
      return [...files, { name: tags, pieces: tagManifest(files) }].map(({ name, pieces }) => ({
        name: `${base}/${name}`,
        pieces,
      }));
    },
  };
}
