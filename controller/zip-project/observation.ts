import type { ZipBucket } from '#crds/zip-bucket.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { ProjectClass } from '#runtime/project-limits/project-classes.ts';
import type { ForcedRemoval } from '../cluster/release.ts';
import type { ControllerConfig } from '../config/config.ts';
import type { PurgeOrder, PurgeState } from '../history/purges.ts';
import type { EventNote } from '../reconciling/events.ts';
import type { DeliveryState } from '../webhook/dispatcher.ts';
import type { EndpointResponse } from '../webhook/endpoint.ts';
import type { Wanted } from './project-objects.ts';

export type ProjectStatus = NonNullable<ZipProject['status']>;

/** One of the objects that every project has. */
export interface ProjectChild {
  readonly kind: string;
  readonly wanted: Wanted;
  /** True if it exists with every wanted field. */
  readonly isPresent: boolean;
}

/** What remains in the namespace of a project that is being deleted. */
export interface Remainder {
  readonly unfinished: readonly ZipJob[];
  readonly buckets: readonly ZipBucket[];
  readonly isNamespaceTerminating: boolean;
}

/** The input of a decision about one ZipProject. */
export interface ProjectObservation {
  readonly project: ZipProject;
  /** The class of its namespace. */
  readonly projectClass: ProjectClass;
  /** In the order in which they are created. */
  readonly children: readonly ProjectChild[];
  /** Why a child could not be created in this reconcile. */
  readonly failure?: Error | undefined;
  /** Results of webhook deliveries that are not in the status yet. */
  readonly responses: readonly EndpointResponse[];
  /** The requested test events of the webhook by name of the endpoint. */
  readonly tests: ReadonlyMap<string, DeliveryState>;
  readonly hasHistory: boolean;
  /** The kinds of which the caches leave out objects of the namespace. */
  readonly leftOut?: readonly string[];
  /** What the API server said when a policy refused the Job or pod of one of its jobs. */
  readonly refusal?: string | undefined;
  /** The deletion of its records that this process carries out. */
  readonly purge: PurgeState | undefined;
  /** Set only if the project is being deleted. */
  readonly remainder?: Remainder | undefined;
}

export type ProjectAction =
  | { readonly kind: 'addFinalizer' }
  | { readonly kind: 'releaseFinalizer'; readonly forced?: ForcedRemoval }
  | { readonly kind: 'createChild'; readonly child: ProjectChild }
  | { readonly kind: 'cancelJob'; readonly name: string }
  | { readonly kind: 'sendTest'; readonly nonce: string; readonly endpoint: string }
  | { readonly kind: 'acknowledgeTest'; readonly endpoint: string }
  | { readonly kind: 'startPurge'; readonly order: PurgeOrder }
  | { readonly kind: 'forgetPurge' }
  | { readonly kind: 'recordEvent'; readonly note: EventNote }
  | { readonly kind: 'forgetResponses'; readonly responses: readonly EndpointResponse[] };

export interface ProjectDecision {
  /** The complete next status; absent if it does not change. */
  readonly status?: ProjectStatus;
  readonly actions: readonly ProjectAction[];
  readonly requeueAfterMs?: number;
  /** Thrown after the status is written, so that the queue retries with backoff. */
  readonly failure?: Error;
}

/** Results of the previous round that the caches may not contain yet. */
export interface ProjectHints {
  /** Kinds of the children that were created. */
  readonly created?: readonly string[];
  readonly failure?: Error;
}

export type ProjectConfig = Pick<ControllerConfig, 'projectDeletionSeconds' | 'webhookDisableAfterSeconds'>;
