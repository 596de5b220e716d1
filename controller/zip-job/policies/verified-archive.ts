import { type FailureCode } from '#crds/exit-codes.ts';
import type { RecoveryOutcome } from '#crds/termination-message.ts';
import type { ArchiveContents, Attempt, ZipResult } from '#crds/zip-job.ts';
import { fileCount } from '#crds/zip-job-facts.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { terminationMessageOf } from '../../cluster/termination-message.ts';
import { timeOf } from '../../cluster/times.ts';
import type { Outcome, Situation } from '../observation.ts';
import { uploadOf } from '../owned-status.ts';
import { verifyResult } from './result.ts';

export type Published = Extract<RecoveryOutcome, { outcome: 'published' }>;

export type VerifiedArchive =
  /** `result` is set if the archive is complete. */
  | { readonly kind: 'outcome'; readonly outcome: Outcome; readonly result?: ZipResult }
  /** The zipper found that the object does not match its parts, but could not delete it. */
  | { readonly kind: 'corrupted' };

const CORRUPTED: FailureCode = 'StoreCorrupted';

/** The result in the termination message of a pod that could not write it to the status. */
function reportedResult(s: Situation, attempt: Attempt, etag: string): ZipResult | undefined {
  const pod = s.seen.pods.find(({ metadata }) => metadata.uid === attempt.podUid);
  const message = terminationMessageOf(pod);
  return message && 'result' in message && message.result.etag === etag ? message.result : undefined;
}

/** Figures that only the zipper knows are zero. */
function resultFromStore(s: Situation, { bytes, etag }: Published): ZipResult {
  const admitted = timeOf(s.status.startedAt) ?? s.now.getTime();
  const seconds = Math.max(0, Math.round((s.now.getTime() - admitted) / 1000));
  const entries = fileCount(s.seen.zipJob);
  const unknown = { peakMemory: 0, retries: 0, contractVersion: CONTRACT_VERSION };
  const { resumes = 0 } = s.status.inherits ?? {};
  return { bytes, etag, entries, seconds, ...unknown, ...(resumes > 0 && { resumes }) };
}

/** A termination message has room for the counts, but not always for the lists. */
function withContents(
  s: Situation,
  found: Published,
  { reported, recorded }: { reported: ZipResult | undefined; recorded: ArchiveContents | undefined },
): ZipResult {
  return reported ? { ...recorded, ...reported } : { ...resultFromStore(s, found), ...recorded };
}

/** Compares the object of a lost attempt with the contents that the zipper recorded before it sent Complete. */
export function verifiedArchive(s: Situation, attempt: Attempt, found: Published): VerifiedArchive {
  const { zipJob } = s.seen;
  if (attempt.reason === CORRUPTED) return { kind: 'corrupted' };
  const recorded = uploadOf(zipJob, attempt.podUid)?.archive;
  if (recorded && recorded.bytes !== found.bytes)
    return {
      kind: 'outcome',
      outcome: {
        reason: 'OutcomeUnknown',
        message: `the object of attempt ${attempt.n} in the bucket has ${found.bytes} bytes instead of ${recorded.bytes}`,
      },
    };
  const reported = reportedResult(s, attempt, found.etag);
  const result = withContents(s, found, { reported, recorded });
  const verified = recorded ? verifyResult(zipJob, result) : undefined;
  if (verified?.reason === 'ResultInvalid') return { kind: 'outcome', outcome: verified };
  // A zipper gives up the last write after ten seconds, and succeeds.
  const what = reported ? 'the zipper could not record its result' : 'the attempt was lost';
  const message = `${what}, but the bucket contains its complete archive of ${found.bytes} bytes`;
  return { kind: 'outcome', outcome: { reason: 'VerifiedInStore', message }, result };
}
