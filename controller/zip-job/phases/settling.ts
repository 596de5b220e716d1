import type { Attempt, ZipResult } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { CONTRACT_VERSION, type SettleOutcome } from '#crds/zipper-contract.ts';
import type { EventNote } from '../../engine/events.ts';
import { terminationOf } from '../../kube-state/pod-state.ts';
import { parseTerminationMessage } from '../../kube-state/termination-message.ts';
import { timeOf } from '../../kube-state/times.ts';
import { settleJob } from '../manifest/job-manifest.ts';
import type { Outcome, OwnedStatus, Situation, Step } from '../observation.ts';
import { withCondition } from '../owned-status.ts';
import { type SettleAnswer, type Settled, settleStep } from '../policies/settle.ts';

type Published = Extract<SettleOutcome, { outcome: 'published' }>;

export type Settling =
  | { readonly kind: 'waiting'; readonly step: Step }
  | {
      readonly kind: 'settled';
      readonly status: OwnedStatus;
      /** Set if the state of the store decides the outcome. */
      readonly outcome?: Outcome;
      readonly events: readonly EventNote[];
    };

const LOOK_AGAIN_MS = 5000;

const settled = (s: Situation, reason: 'NothingToSettle' | 'Settled', message?: string): OwnedStatus =>
  withCondition(s.status, 'Settled', {
    status: 'True',
    reason,
    ...(message !== undefined && { message }),
    now: s.now,
  });

const sumOf = ({ abortFailures: before = 0 }: Attempt, more: number): Pick<Attempt, 'abortFailures'> =>
  before + more > 0 ? { abortFailures: before + more } : {};

/** Records the recovered upload in the attempt, because the next pod replaces the zipper's own field. */
const withUpload = (status: OwnedStatus, { n }: Attempt, answer: SettleAnswer): OwnedStatus => {
  const { upload, abortFailures } = answer;
  const recorded = upload === 'unrecorded' ? {} : { upload };
  const change = (one: Attempt): Attempt => ({ ...one, ...recorded, ...sumOf(one, abortFailures) });
  return { ...status, attempts: status.attempts?.map((one) => (one.n === n ? change(one) : one)) ?? [] };
};

/** The result in the termination message of a pod that could not write it to the status. */
const lastWords = (s: Situation, attempt: Attempt, etag: string): ZipResult | undefined => {
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === attempt.podUid);
  const message = pod && parseTerminationMessage(terminationOf(pod)?.message);
  return message && 'result' in message && message.result.etag === etag ? message.result : undefined;
};

/** The result as found in the store, if the zipper could not report it: figures of the process are unknown and zero. */
const provedResult = (s: Situation, { bytes, etag }: Published): ZipResult => {
  const begun = timeOf(s.status.startedAt) ?? s.now.getTime();
  const seconds = Math.max(0, Math.round((s.now.getTime() - begun) / 1000));
  const entries = fileCount(s.seen.zipJob);
  return { bytes, etag, entries, seconds, peakMemory: 0, retries: 0, contractVersion: CONTRACT_VERSION };
};

const published = (s: Situation, attempt: Attempt, found: Published & { status: OwnedStatus }): Settling => ({
  kind: 'settled',
  status: { ...found.status, result: lastWords(s, attempt, found.etag) ?? provedResult(s, found) },
  outcome: {
    reason: 'ProvedByStore',
    message: `the attempt was lost, but the bucket contains its complete archive of ${found.bytes} bytes`,
  },
  events: [],
});

const unknownText = (outcome: Extract<SettleOutcome, { outcome: 'unknown' }>): string =>
  outcome.missingPermission === undefined
    ? 'the store did not respond in time'
    : `the credentials lack ${outcome.missingPermission}`;

const lossOf = ({ n }: Attempt, upload: Settled): string =>
  upload === 'unrecorded'
    ? `attempt ${n} was lost before it recorded an upload`
    : `attempt ${n} was lost in state ${upload.state}`;

const answered = (s: Situation, attempt: Attempt, answer: SettleAnswer): Settling => {
  const { outcome, upload } = answer;
  const status = withUpload(settled(s, 'Settled'), attempt, answer);
  if (outcome.outcome === 'published') return published(s, attempt, { ...outcome, status });
  if (outcome.outcome === 'absent')
    return {
      kind: 'settled',
      status,
      events: [
        {
          type: 'Normal',
          reason: 'Settled',
          message: `attempt ${attempt.n} was recovered: no archive or upload remains`,
        },
      ],
    };
  const message = `${lossOf(attempt, upload)}; ${unknownText(outcome)}`;
  const events: readonly EventNote[] = [{ type: 'Warning', reason: 'OutcomeUnknown', message }];
  // Only the active pod can complete an open upload, so at most its parts remain.
  return upload !== 'unrecorded' && upload.state === 'committing'
    ? { kind: 'settled', status, outcome: { reason: 'OutcomeUnknown', message }, events }
    : { kind: 'settled', status, events };
};

/** Continues the recovery of the last attempt, which is no longer active. */
export const settling = (s: Situation): Settling => {
  const attempt = s.status.attempts?.at(-1);
  if (!attempt) return { kind: 'settled', status: settled(s, 'NothingToSettle'), events: [] };
  const { now, config, seen } = s;
  const next = settleStep(seen, attempt, { now, settleDeadlineSeconds: config.settleDeadlineSeconds });
  switch (next.kind) {
    case 'nothing':
      return { kind: 'settled', status: settled(s, 'NothingToSettle'), events: [] };
    case 'answer':
      return answered(s, attempt, next);
    case 'wait':
      return {
        kind: 'waiting',
        step: { status: s.status, requeueAfterMs: Math.max(0, next.until.getTime() - now.getTime()) },
      };
    case 'start': {
      if (!seen.bucket) throw new Error('Could not create the recovery Job: the ZipBucket does not exist');
      const job = settleJob(seen.zipJob, { ...next, bucket: seen.bucket }, config);
      return {
        kind: 'waiting',
        step: {
          status: s.status,
          actions: [{ kind: 'createJob', target: 'settle', job }],
          requeueAfterMs: LOOK_AGAIN_MS,
        },
      };
    }
  }
};
