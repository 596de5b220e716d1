import type { GROUP_VERSION } from './api-group.ts';
import type { Condition } from './conditions.ts';
import type { ObjectMeta } from './object-meta.ts';
import type { WebhookEvent } from './zip-job.ts';

/** Makes its namespace a project. Its name is always `project`. */
export interface ZipProject {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipProject';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly displayName?: string;
    readonly webhook?: {
      readonly url: string;
      readonly events?: readonly WebhookEvent[];
      readonly enabled?: boolean;
    };
    readonly limits?: {
      readonly activeJobs?: number;
      readonly filesPerJob?: number;
      readonly requestsPerMinute?: number;
    };
    readonly jobDefaults?: {
      readonly compression?: string;
      readonly onSourceError?: string;
      readonly portableNames?: string;
      readonly activeDeadlineSeconds?: number;
      readonly maxAttempts?: number;
    };
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly webhook?: {
      readonly state?: string;
      readonly lastDelivery?: string;
      readonly failingSince?: string;
    };
  };
}
