import type { ApiConfig } from '../config.ts';

/** Settings in force that callers are told. */
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
