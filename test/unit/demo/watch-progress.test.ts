import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { PROGRESS_HEADER, progressRow } from '../../demo/watch-progress.ts';

const PROGRESS = {
  podUid: 'pod',
  filesTotal: 421,
  bytesUploaded: 0,
  bytesTotal: 200 * 2 ** 20,
  display: '',
  updatedAt: '2026-01-31T12:00:00Z',
};

describe('progressRow', () => {
  it('aligns all rows with the header, in percent (Q-D6)', () => {
    const statuses: readonly Partial<ZipJobStatus>[] = [
      {},
      { phase: 'Running', progress: { ...PROGRESS, filesDone: 0, bytesRead: 0 } },
      { phase: 'Finalizing', progress: { ...PROGRESS, filesDone: 421, bytesRead: 200 * 2 ** 20 } },
      { phase: 'Succeeded', progress: { ...PROGRESS, filesDone: 421, bytesRead: 200 * 2 ** 20 } },
    ];
    const rows = statuses.map((status) => progressRow({ status: status as ZipJobStatus }));
    expect([PROGRESS_HEADER, ...rows]).to.deep.equal([
      'PHASE        DONE  FILES      READ',
      'Queued',
      'Running       0 %  0/421      0 B of 200 MiB',
      'Finalizing   99 %  421/421    200 MiB of 200 MiB',
      'Succeeded   100 %  421/421    200 MiB of 200 MiB',
    ]);
  });
});
