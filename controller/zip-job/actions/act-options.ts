import type { ZipCheckpoint } from '#crds/zip-checkpoint.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import type { Job, Pod, Secret } from '#runtime/kube/resources.ts';
import type { ObjectClient } from '#runtime/kube/types.ts';
import type { Logger } from '#runtime/log/log.ts';
import type { Clock } from '#runtime/time/clock.ts';
import type { ControllerConfig } from '../../config/config.ts';
import type { ControllerMetrics } from '../../metrics.ts';
import type { Ledger } from '../../queue/ledger.ts';
import type { ApplyStatus } from '../../reconciling/apply-status.ts';
import type { EventLane } from '../../reconciling/event-lane.ts';
import type { Finalizers } from '../../reconciling/finalizers.ts';
import type { JobTraces } from '../../tracing/job-traces.ts';
import type { WebhookDispatcher } from '../../webhook/dispatcher.ts';
import type { EndpointNotes } from '../../webhook/endpoint-notes.ts';
import type { PlanDelivery } from '../../webhook/next-delivery.ts';
import type { QuotaRoom } from '../lifetime/quota-room.ts';
import type { Memory } from '../memory.ts';
import type { OwnedStatus } from '../observation.ts';

/** The dependencies of `act`. */
export interface ActOptions {
  readonly config: Pick<ControllerConfig, 'historyHost' | 'checkpointRetrySeconds'>;
  readonly kube: Pick<KubeClient, 'objectMetadata'>;
  readonly checkpoints: Pick<ObjectClient<ZipCheckpoint>, 'apply' | 'delete'>;
  readonly zipJobs: Pick<ObjectClient<ZipJob>, 'get' | 'mergePatch' | 'delete'>;
  readonly applyStatus: ApplyStatus<ZipJob, OwnedStatus>;
  readonly finalizers: Finalizers<ZipJob>;
  readonly jobs: Pick<ObjectClient<Job>, 'get' | 'create' | 'mergePatch' | 'delete'>;
  readonly pods: Pick<ObjectClient<Pod>, 'apply' | 'delete'>;
  readonly secrets: Pick<ObjectClient<Secret>, 'delete'>;
  readonly quotaRoom: Pick<QuotaRoom, 'free'>;
  readonly memory: Memory;
  readonly ledger: Pick<Ledger, 'reserve' | 'release' | 'hold'>;
  readonly recordEvent: EventLane['add'];
  readonly dispatcher: WebhookDispatcher;
  readonly endpointNotes: Pick<EndpointNotes, 'add'>;
  readonly planDelivery: PlanDelivery;
  readonly metrics: ControllerMetrics;
  /** Undefined without tracing. */
  readonly traces?: Pick<JobTraces, 'note'> | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}
