import type { ProjectLimits } from '#crds/zip-project.ts';
import type { ApiConfig } from '../config.ts';

/** The settings on which the API reference depends. Of the history, it says only whether there is one. */
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
  | 'jobMaxSeconds'
  | 'jobSucceededTtlSeconds'
  | 'jobFailedTtlSeconds'
  | 'jobWebhookSchedule'
  | 'publicUrl'
  | 'basePath'
  | 'helpUrl'
  | 'historyHost'
> & {
  /** Limits of the class `default`. */
  readonly projectLimits: ProjectLimits;
};
