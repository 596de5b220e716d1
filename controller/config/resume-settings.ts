import type { Settings } from '#runtime/config/config.ts';

/** Settings of the continuation of an upload by the next pod. */
export const RESUME_SETTINGS = {
  resume: {
    env: 'RESUME',
    type: 'boolean',
    default: true,
    description: 'the next pod of a large job continues the upload of one that was stopped or lost',
    changeWhen:
      'set it to false when a store lists the parts of an upload wrongly, so that archives end as StoreCorrupted or attempts fail in Complete',
  },
} as const satisfies Settings;

export const RESUME_CONSTANTS = {
  /** A job gets a ZipCheckpoint from this many uploaded bytes or this run time of its pod on. Smaller ones are repeated as quickly. */
  resumeFromBytes: 1_073_741_824,
  resumeFromSeconds: 60,
  /** After a refusal of its ZipCheckpoint, a job runs without one for this long: it is not worth more requests. */
  checkpointRetrySeconds: 600,
};
