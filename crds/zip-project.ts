import { createHash } from 'node:crypto';
import { type GROUP_VERSION, WEBHOOK_SECRET_NAME } from './api-group.ts';
import type { CallerOption } from './caller-options.ts';
import type { Condition } from './conditions.ts';
import type { ObjectMeta } from './object-meta.ts';
import { DEFAULT_ENDPOINT, type Named } from './webhook-endpoints.ts';
import type { ChosenObjectOptions, WebhookDelivery, WebhookEvent, ZipJobSpec } from './zip-job.ts';

/** State of the webhook endpoint of a project. */
export interface EndpointState {
  /** Digest of the endpoint that this state belongs to. */
  readonly endpoint?: string;
  /** Host of the URL; with a URL in the Secret, since the first delivery. */
  readonly host?: string;
  /** Disabled: nothing is sent until a user enables it. */
  readonly state?: 'Enabled' | 'Disabled';
  /** Why it is disabled: `Gone` (HTTP 410) or `FailingTooLong`. */
  readonly reason?: string;
  /** Time of the last attempt, rounded to the minute while deliveries succeed. */
  readonly lastDelivery?: string;
  /** Time since which every attempt has failed. */
  readonly failingSince?: string;
  readonly enabledNonce?: string;
  /** Result of the last test event. */
  readonly test?: Omit<WebhookDelivery, 'attempt'> & { readonly nonce: string };
}

/** States of the endpoints: of the default one, and of each of the others that has one. Of removed ones, only executed commands. */
export interface ProjectWebhookState extends EndpointState {
  readonly endpoints?: readonly (EndpointState & Named)[];
}

/** An endpoint of a webhook. */
export interface ProjectEndpoint {
  /** Without it, the URL is in the Secret `zipjobs-webhook`: key `url`, or `<name>.url` of an endpoint with a name. */
  readonly url?: string;
  readonly events?: readonly WebhookEvent[];
  readonly enabled?: boolean;
}

/** The default endpoint, and the others. */
export interface ProjectWebhook extends ProjectEndpoint {
  readonly endpoints?: readonly (ProjectEndpoint & Named)[];
}

/** The last deletion of all records of a project from the history; the condition HistoryPurged has its state. */
export interface HistoryPurge {
  /** Of the command. */
  readonly nonce: string;
  readonly startedAt: string;
  /** Unset while it is not finished. */
  readonly finishedAt?: string;
  /** Deleted so far. */
  readonly records: number;
}

/** The Toleration of a Kubernetes pod. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}

/** Defaults for the pods of archives, recoveries and bucket tests. Fields of a ZipJob override them, and they override the chart's. */
export interface PodDefaults {
  readonly priorityClassName?: string;
  readonly resources?: ZipJobSpec['resources'] & object;
  /** Required node labels, in addition to those of the chart. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** Tolerations, in addition to those of the chart. */
  readonly tolerations?: readonly Toleration[];
}

/** What a project may use. A class of the operator sets the highest values; a ZipProject can only lower them. */
export interface ProjectLimits {
  /** 0 in a class: no limit. */
  readonly requestsPerMinute: number;
  /** Creates per second in each API replica. 0 in a class: no limit. */
  readonly createsPerSecond: number;
  /** Files of creates per second in each API replica. 0 in a class: no limit. */
  readonly filesPerSecond: number;
  readonly activeJobs: number;
  readonly filesPerJob: number;
  /** Bytes of one archive, and so of one file. */
  readonly archiveBytes: number;
  readonly storedJobs: number;
  /** Bytes of the stored ZipJobs and their file lists. */
  readonly storedBytes: number;
}

/** A ZipProject makes its namespace a project. Its name is always `project`. */
export interface ZipProject {
  readonly apiVersion: typeof GROUP_VERSION;
  readonly kind: 'ZipProject';
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly displayName?: string;
    /** Days after which the history deletes jobs of this project. The retention of the installation also applies. */
    readonly historyRetentionDays?: number;
    readonly webhook?: ProjectWebhook;
    readonly limits?: Partial<ProjectLimits>;
    readonly jobDefaults?: {
      readonly compression?: string;
      readonly onSourceError?: string;
      readonly portableNames?: string;
      readonly duplicateNames?: string;
      readonly onConflict?: string;
      readonly objectOptions?: ChosenObjectOptions;
      readonly sha256?: boolean;
      readonly fixedModificationTime?: string;
      readonly sequential?: boolean;
      readonly activeDeadlineSeconds?: number;
      readonly maxAttempts?: number;
      readonly startDeadlineSeconds?: number;
      readonly ttlSecondsAfterFinished?: { readonly succeeded?: number; readonly failed?: number };
      readonly manifestEntry?: string;
      readonly manifestFormat?: string;
      readonly queueName?: string;
    };
    /** What callers may not choose, in addition to what the class of the project closes. */
    readonly callerOptions?: { readonly closed?: readonly CallerOption[] };
    /** Scheduling and resources of the project's zipper pods, read when a Job is created. */
    readonly pods?: PodDefaults;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[];
    readonly webhook?: ProjectWebhookState;
    readonly historyPurge?: HistoryPurge;
    /** The class in force and its limits. It is for users and the dashboard: the API and the controller know the classes. */
    readonly class?: { readonly name: string; readonly limits: Partial<ProjectLimits> };
  };
}

/** Identifies the endpoint of a webhook: its URL, or the key of the Secret that contains the URL. */
export function endpointOf({
  url,
  name = DEFAULT_ENDPOINT,
}: Partial<Named> & { readonly url?: string }): string {
  const place = name === DEFAULT_ENDPOINT ? '' : `/${name}`;
  return url ?? `secret/${WEBHOOK_SECRET_NAME}${place}`;
}

/** As in the schema. */
const MAX_HOST = 512;

/** The host of a webhook URL for a status. Undefined if there is none, or one that no name server knows. */
export function webhookHost(url: string | undefined): string | undefined {
  const host = URL.parse(url ?? '')?.host ?? '';
  return host === '' || host.length > MAX_HOST ? undefined : host;
}

/** Identifies an endpoint in a status without its URL, which may contain a secret. */
export function endpointDigest(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('hex').slice(0, 16);
}
