/** What the bytes of an archive depend on. */
import { createHash } from 'node:crypto';
import type { FileEntry } from '#crds/zip-job.ts';
import type { ArchiveTask } from '#crds/zipper-task.ts';
import type { PartSizes } from '#runtime/zip-request/part-sizes.ts';

/** Changes whenever the same plan gives other bytes or other parts than in an earlier version of this program. */
const LAYOUT_VERSION = 3;

export interface Plan {
  readonly task: ArchiveTask;
  readonly files: readonly FileEntry[];
  readonly sizes: PartSizes;
  readonly sourceUnknownLengthZip64: boolean;
}

/**
 * SHA-256 (hex) of the plan. A pod with another one would make other bytes, and must not continue the upload. The library that
 * compresses counts, because another version may find shorter forms.
 */
export function planDigest({ task, files, sizes, sourceUnknownLengthZip64 }: Plan): string {
  const { partSizeBytes, equalParts } = sizes;
  const zlib = task.compression === 'store' ? undefined : process.versions.zlib;
  const settings = { partSizeBytes, equalParts, sourceUnknownLengthZip64 };
  const hash = createHash('sha256');
  hash.update(JSON.stringify([LAYOUT_VERSION, task, settings, zlib, files.length]));
  for (const file of files) hash.update(`\n${JSON.stringify(file)}`);
  return hash.digest('hex');
}
