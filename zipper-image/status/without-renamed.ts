/** Status fields that an API server may not know after a rollback to an earlier release. */
import type { ZipperStatus } from '#crds/zip-job.ts';

function without<T extends { readonly renamed?: unknown }>(contents: T): Omit<T, 'renamed'> {
  const { renamed: _renamed, ...others } = contents;
  return others;
}

/** The status without the names of renamed files, which nothing relies on; undefined if it has none. */
export function withoutRenamed(status: ZipperStatus): ZipperStatus | undefined {
  const { upload, result } = status;
  const archive = upload?.archive;
  if ((archive?.renamed ?? result?.renamed) === undefined) return undefined;
  return {
    ...status,
    ...(upload && archive && { upload: { ...upload, archive: without(archive) } }),
    ...(result && { result: without(result) }),
  };
}
