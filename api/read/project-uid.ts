import type { ZipProject } from '#crds/zip-project.ts';

/** A project that was deleted and created again has another uid. @throws Error for an object that the API server has not stored */
export function projectUidOf({ metadata }: Pick<ZipProject, 'metadata'>): string {
  if (metadata.uid !== undefined) return metadata.uid;
  throw new Error('the ZipProject of a request has no uid');
}
