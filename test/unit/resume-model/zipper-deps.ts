/** What a zipper of the model can reach. */
import { pino } from 'pino';
import type { ZipJob, ZipperStatus } from '#crds/zip-job.ts';
import type { Random } from '#test/support/random.ts';
import type { Written } from '#test/support/worlds/job-world/world-zipper.ts';
import type { CheckpointApi } from '#zipper-image/status/checkpoint-api.ts';
import type { Store } from '#zipper-image/store/store.ts';
import type { Mistake } from './mistakes.ts';
import type { ModelProcess } from './model-process.ts';
import type { ModelSources } from './model-sources.ts';
import type { VirtualTime } from './virtual-time.ts';

export const log = pino({ level: 'silent' });

export const STORE_SETTINGS = {
  storeRetryLimitMs: 60_000,
  storeRetryBaseMs: 200,
  storeRetryMaxMs: 5_000,
  storeStartGraceMs: 10_000,
  storeConsistencyMs: 15_000,
  storeIdleTimeoutMs: 15_000,
  recoveryLimitMs: 110_000,
} as const;

export const STATUS_SETTINGS = {
  statusActivationIntervalMs: 1_000,
  statusProgressIntervalMs: 2_000,
  statusRefusalLimitMs: 30_000,
  statusRetryBaseMs: 200,
  statusRetryMaxMs: 5_000,
} as const;

/** Digest of the plan, which is the same for all pods of the model. */
export const PLAN = '0'.repeat(64);

export interface ZipperDeps {
  readonly process: ModelProcess;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly key: string;
  readonly store: Store;
  readonly sources: ModelSources;
  readonly mistake: Mistake | undefined;
  readonly settings: { readonly partSizeBytes: number; readonly startDeadlineMs: number };
  /** One attempt. Undefined: no response; it may have been written. */
  readonly writeStatus: (fields: ZipperStatus) => Promise<Written | undefined>;
  readonly zipJob: () => ZipJob | undefined;
  readonly checkpoints: Pick<CheckpointApi, 'read' | 'write'>;
  /** The store encrypts parts with a key of its own. */
  readonly isEncrypted: boolean;
  readonly failsOften: boolean;
  /** Notes which upload the pod uses, for the invariants. */
  readonly uses: (uploadId: string | undefined) => void;
}
