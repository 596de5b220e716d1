import type { ProjectLimits } from '#crds/zip-project.ts';
import type { ApiConfig } from '../config.ts';

/** The settings that the API reference publishes. */
export type PublishedSettings = Pick<
  ApiConfig,
  | 'maxBodyBytes'
  | 'maxFiles'
  | 'maxUrlLength'
  | 'maxKeyBytes'
  | 'maxMetadataBytes'
  | 'maxHeaderBytes'
  | 'maxFileListBytesPerProject'
  | 'requestsPerMinutePerToken'
  | 'authFailuresPerMinute'
  | 'jobMaxArchiveBytes'
  | 'jobMaxFileBytes'
  | 'jobMaxSeconds'
  | 'publicUrl'
  | 'basePath'
  | 'helpUrl'
> & {
  /** Limits of the class `default`. */
  readonly projectLimits: ProjectLimits;
};
