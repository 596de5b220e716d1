import { expect } from 'chai';
import { JobHarness } from './job-harness.ts';

describe('zipToS3: the record of the contents', () => {
  it('is written with committing, before it sends Complete (F28) (FD8)', async () => {
    await using harness = await JobHarness.start();
    let recorded: unknown;
    harness.hostile.fault = ({ operation }) => {
      if (operation === 'complete') recorded = harness.server.writes.at(-1)?.status.upload?.archive;
      return undefined;
    };
    const { bytes } = await harness.run();
    expect(recorded).to.deep.equal({ bytes, entries: 3, lengthUnverified: [2], contentEncoded: [1] });
  });
});
