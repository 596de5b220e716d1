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
  | 'requestsPerMinutePerProject'
  | 'authFailuresPerMinute'
  | 'helpUrl'
>;
