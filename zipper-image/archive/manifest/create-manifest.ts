import type { ArchiveTask } from '#crds/zipper-task.ts';
import { createBagManifest } from './bag-manifest.ts';
import { createJsonManifest } from './json-manifest.ts';
import type { Manifest } from './manifest.ts';
import { createSha256sumManifest } from './sha256sum-manifest.ts';

export interface ManifestOptions {
  readonly task: Pick<ArchiveTask, 'manifestFormat' | 'manifestEntry'>;
  /** Base directory, if the archive is a bag. */
  readonly bag: string | undefined;
  /** Time of the entries that have no time of their own. */
  readonly time: Date;
}

/** Creates the empty manifest of a task, if it has one. Ten thousand lines need only a few blocks of memory. */
export function createManifest({ task, bag, time }: ManifestOptions): Manifest | undefined {
  if (bag !== undefined) return createBagManifest({ base: bag, time });
  if (task.manifestFormat === 'sha256sum') return createSha256sumManifest();
  return task.manifestEntry === undefined ? undefined : createJsonManifest(task.manifestEntry);
}
