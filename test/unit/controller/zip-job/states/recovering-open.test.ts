/** An upload that was not committed can no longer be published, so its recovery has little time. */
import { expect } from 'chai';
import { findCondition } from '#crds/conditions.ts';
import { judge, kinds, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus } from '#test/support/builders/zip-job-statuses.ts';

const FAILED = { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] };

/** Seconds since the end of the attempt, and since the creation of its recovery Job, if there is one. */
interface Times {
  readonly endedAgo: number;
  readonly createdAgo?: number;
}

for (const state of ['open', undefined] as const)
  describe(`decide while an attempt with an ${state ?? 'unrecorded'} upload is being recovered`, () => {
    const upload = state && anUpload(state);
    function seenAt({ endedAgo, createdAgo }: Times, status?: typeof FAILED) {
      return {
        zipJob: withStatus(
          recoveringStatus(upload, {
            attempts: [{ n: 1, podUid: 'uid-p1', finishedAt: ago(endedAgo), class: 'transient' }],
          }),
        ),
        job: aJob(),
        ...(createdAgo !== undefined && {
          recovery: {
            job: aJob({
              metadata: {
                name: `${NAME}-recover-1`,
                uid: 'uid-recover',
                creationTimestamp: ago(createdAgo),
              },
              ...(status && { status }),
            }),
            pods: [],
          },
        }),
      };
    }
    function failedAt(times: Times) {
      return judge(seenAt(times, FAILED));
    }
    function runningAt(times: Times) {
      return judge(seenAt(times));
    }
    function expectGivenUp(decision: ReturnType<typeof judge>): void {
      expect(findCondition(decision.status?.conditions, 'Recovered')?.status).to.equal('True');
      expect(decision.status?.attempts?.[0]).to.include({ abortFailures: 1 });
    }

    it('replaces a failed recovery Job, at the earliest ten seconds after its creation (H8)', () => {
      const waiting = failedAt({ endedAgo: 8, createdAgo: 6 });
      expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 4000]);
      const next = failedAt({ endedAgo: 12, createdAgo: 10 });
      expect(next).not.to.have.property('status');
      expect(next.actions).to.deep.equal([
        { kind: 'deleteJob', name: `${NAME}-recover-1`, uid: 'uid-recover' },
      ]);
      expect(kinds(runningAt({ endedAgo: 12 }))).to.deep.equal(['createJob']);
    });

    it('gives up three minutes after the end of the attempt, however often its recovery Job was replaced (H8)', () => {
      for (const createdAgo of [170, 100, 10]) {
        const waiting = runningAt({ endedAgo: 179, createdAgo });
        expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 1000]);
        const late = runningAt({ endedAgo: 180, createdAgo });
        expectGivenUp(late);
        expect(kinds(late)).to.deep.equal(['deleteJob']);
      }
    });

    it('gives up at once after a failed recovery Job that leaves too little time for another (H8)', () => {
      for (const [endedAgo, createdAgo] of [
        // The next would start with nine seconds left.
        [171, 100],
        // The next would start 200 seconds after the end of the attempt.
        [110, 10],
      ] as const)
        expectGivenUp(failedAt({ endedAgo, createdAgo }));
    });

    it('deletes no recovery Job in its first ten seconds, so that its sweep ends before the next attempt starts (F37)', () => {
      const waiting = runningAt({ endedAgo: 185, createdAgo: 6 });
      expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 4000]);
      expectGivenUp(runningAt({ endedAgo: 189, createdAgo: 10 }));
    });

    it('waits ten seconds after the creation of a recovery Job also if it failed, because its pod may still run (F37)', () => {
      const waiting = failedAt({ endedAgo: 172, createdAgo: 2 });
      expect([kinds(waiting), waiting.requeueAfterMs]).to.deep.equal([[], 8000]);
      expectGivenUp(failedAt({ endedAgo: 179, createdAgo: 10 }));
    });

    it('gives the recovery Job its whole time, once, after a time without a controller (H8)', () => {
      expect(kinds(runningAt({ endedAgo: 3600 }))).to.deep.equal(['createJob']);
      expect(runningAt({ endedAgo: 3600, createdAgo: 30 }).requeueAfterMs).to.equal(150_000);
      expectGivenUp(failedAt({ endedAgo: 3600, createdAgo: 30 }));
      expectGivenUp(runningAt({ endedAgo: 3600, createdAgo: 180 }));
      const frequent = { recoveryRetrySeconds: 10 };
      expectGivenUp(judge(seenAt({ endedAgo: 3600, createdAgo: 30 }, FAILED), frequent));
    });
  });

describe('decide while the recovery Job of an unrecorded upload is replaced', () => {
  const message = {
    contractVersion: 1,
    mode: 'archive',
    failure: { code: 'Terminated', retriable: true },
  } as const;
  const pods = [aPod('p1', { status: ended({ exitCode: 143, message }) })];

  it('creates it again although the pod has reported meanwhile that it left no upload (H8)', () => {
    const zipJob = withStatus(recoveringStatus(undefined));
    expect(kinds(judge({ zipJob, job: aJob(), pods }))).to.deep.equal(['createJob']);
  });
});
