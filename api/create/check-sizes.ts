import type { ZipProject } from '#crds/zip-project.ts';
import { type ArchiveLimit, statedExcess } from '#runtime/zip-request/stated-sizes.ts';
import { parameterInvalid } from '../errors/api-error.ts';
import type { RequestOptions } from './check-options.ts';

export interface StatedRequest {
  readonly options: Pick<RequestOptions, 'compression' | 'onSourceError'>;
  /** Bytes of the files whose size is stated. */
  readonly statedBytes: number;
}

/**
 * Options that nobody chooses have the defaults of the project.
 * @throws ApiError parameter_invalid if the files cannot fit into an archive, whatever their sources send
 */
export function assertSizesFit(
  { options, statedBytes }: StatedRequest,
  { compression, onSourceError }: NonNullable<ZipProject['spec']['jobDefaults']>,
  limit: ArchiveLimit,
): void {
  const excess = statedExcess(statedBytes, { compression, onSourceError, ...options }, limit);
  if (excess === undefined) return;
  throw parameterInvalid('urls', `${excess}. Split the files into several archives.`);
}
