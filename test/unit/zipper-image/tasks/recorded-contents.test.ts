import { expect } from 'chai';
import type { UploadState } from '#crds/zip-job.ts';
import { digestOfParts } from '#zipper-image/store/part-verification.ts';
import { JobHarness } from './job-harness.ts';

describe('zipToS3: the record of the contents', () => {
  it('is written with committing, before it sends Complete (F28) (FD8)', async () => {
    await using harness = await JobHarness.start();
    let recorded: UploadState | undefined;
    let stored: readonly { readonly number: number; readonly etag: string }[] = [];
    harness.hostile.fault = ({ operation }) => {
      if (operation !== 'complete') return undefined;
      recorded = harness.server.writes.at(-1)?.status.upload;
      stored = [...harness.hostile.uploads.values()].flatMap(({ parts }) =>
        [...parts].map(([number, { etag }]) => ({ number, etag })).sort((a, b) => a.number - b.number),
      );
      return undefined;
    };
    const { bytes } = await harness.run();
    expect(recorded?.archive).to.deep.equal({
      bytes,
      entries: 3,
      lengthUnverified: [2],
      contentEncoded: [1],
    });
    expect(recorded).to.include({ parts: stored.length, partsDigest: digestOfParts(stored) });
  });
});
