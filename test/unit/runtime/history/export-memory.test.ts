import { expect } from 'chai';
import type { HistoryDatabase } from '#runtime/history/database.ts';
import { createJobLists } from '#runtime/history/list-jobs.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { randomHistoryJobs } from '#test/support/builders/history-rows.ts';

const MAX_BATCH_BYTES = 4 * 1_024 * 1_024;
const MAX_METADATA_BYTES = 16_384;

describe('the memory of an export', () => {
  it('is that of a small batch, also with the longest metadata', async () => {
    const jobs = randomHistoryJobs(1, 500, { now: new Date(), days: 1 });
    const metadata = 'x'.repeat(MAX_METADATA_BYTES);
    let scans = 0;
    function query({ values = [] }: { readonly values?: readonly unknown[] }): Promise<readonly unknown[]> {
      const [, uids] = values;
      if (Array.isArray(uids)) return Promise.resolve(uids.map((uid: unknown) => ({ uid, metadata })));
      scans += 1;
      return Promise.resolve(
        scans > 1 ? [] : jobs.map((job) => ({ ...job, placeAt: job.finishedAt, isMatch: true })),
      );
    }
    const database = { query } as unknown as Pick<HistoryDatabase, 'query'>;
    const lists = createJobLists({ database, clock: systemClock, searchMs: 60_000 });
    let count = 0;
    for await (const batch of lists.streamJobs({ projectUid: jobs[0]?.projectUid ?? '' })) {
      count += batch.length;
      const bytes = batch.reduce((sum, job) => sum + (job.metadata?.length ?? 0), 0);
      expect(bytes).to.be.at.most(MAX_BATCH_BYTES);
    }
    expect(count).to.equal(500);
  });
});
