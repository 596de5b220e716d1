import { expect } from 'chai';
import { createProgress } from '#zipper-image/status/progress.ts';

const START = Date.parse('2026-01-02T03:04:05Z');

describe('createProgress', () => {
  let ms: number;
  let bytesRead: number;
  let bytesKept: number;
  function create(filesTotal: number) {
    return createProgress({
      podUid: 'pod-1',
      filesTotal,
      bytesRead: () => bytesRead,
      bytesKept: () => bytesKept,
      bytesUploaded: () => 7,
      now: () => new Date(START + ms),
    });
  }

  beforeEach(() => {
    ms = 0;
    bytesRead = 0;
    bytesKept = 0;
  });

  it('reports only counts without a rate', () => {
    const progress = create(2);
    progress.startFile(0);
    expect(progress.snapshot()).to.deep.equal({
      podUid: 'pod-1',
      filesTotal: 2,
      filesDone: 0,
      bytesRead: 0,
      bytesUploaded: 7,
      currentFile: 0,
      display: '0/2',
      percent: '0%',
      size: '7 B',
      updatedAt: '2026-01-02T03:04:05.000Z',
    });
  });

  it('has the percentage of the bytes, or of the files, and sizes for the columns of kubectl (Q-O3)', () => {
    const progress = create(3);
    progress.startFile(0, 1000);
    progress.finishFile(0);
    // The other lengths are not known.
    bytesRead = 1000;
    expect(progress.snapshot()).to.include({ percent: '33%', size: '7 B' });
    progress.startFile(1, 500);
    progress.startFile(2, 500);
    bytesRead = 1999;
    expect(progress.snapshot()).to.include({ percent: '99%', bytesTotal: 2000 });
    bytesRead = 2000;
    expect(progress.snapshot()).to.include({ percent: '99%' });
    progress.finishFile(1);
    progress.finishFile(2);
    expect(progress.snapshot()).to.include({ percent: '100%' });
  });

  it('has the size of the whole archive beside what is uploaded, if it is known before (SZ2)', () => {
    const progress = create(3);
    progress.stateArchive(8);
    expect(progress.snapshot()).to.include({ size: '7 B of 8 B' });
    progress.stateArchive(7);
    expect(progress.snapshot()).to.include({ size: '7 B' });
    progress.stateArchive(undefined);
    expect(progress.snapshot()).to.include({ size: '7 B' });
  });

  it('does not count what earlier pods read in the rate (G12)', () => {
    const progress = create(2);
    progress.snapshot();
    progress.startFile(0, 50_000);
    bytesKept = 50_000;
    bytesRead = 51_000;
    ms = 1000;
    progress.startFile(1, 50_000);
    expect(progress.snapshot()).to.include({ bytesPerSecond: 1000, percent: '51%', bytesTotal: 100_000 });
  });

  it('estimates the size of later files from the files so far', () => {
    const progress = create(4);
    progress.startFile(0, 1000);
    progress.snapshot();
    ms = 2000;
    bytesRead = 500;
    expect(progress.snapshot()).to.include({
      bytesPerSecond: 250,
      estimatedEndAt: new Date(START + 2000 + 14_000).toISOString(),
    });
    expect(progress.snapshot()).to.include({ bytesKnown: 1000 }).and.not.to.have.property('bytesTotal');
  });

  it('names the first file that is not complete, as a slow one holds up nobody', () => {
    const progress = create(3);
    for (const index of [0, 1, 2]) progress.startFile(index, 10);
    progress.finishFile(0);
    progress.finishFile(2);
    expect(progress.snapshot()).to.include({ filesDone: 2, currentFile: 1 });
  });

  it('reports the total size once every length is known, and before that of the known ones', () => {
    const progress = create(2);
    progress.startFile(0, 1000);
    progress.finishFile(0);
    progress.startFile(1, 500);
    expect(progress.snapshot()).to.include({ bytesTotal: 1500, filesDone: 1, currentFile: 1 });
    const other = create(2);
    other.startFile(0, 1000);
    other.startFile(1);
    expect(other.snapshot()).to.include({ bytesKnown: 1000 }).and.not.to.have.property('bytesTotal');
  });

  it('has the total size, the percentage and the end from the start if the size of every file is stated', () => {
    const progress = create(3);
    progress.stateTotal(4000);
    progress.snapshot();
    progress.startFile(0, 1000);
    ms = 2000;
    bytesRead = 1000;
    expect(progress.snapshot()).to.include({
      bytesTotal: 4000,
      percent: '25%',
      estimatedEndAt: new Date(START + 2000 + 6000).toISOString(),
    });
  });

  it('ignores reads older than half a minute, and estimates no end without progress', () => {
    const progress = create(1);
    progress.startFile(0, 1_000_000);
    for (ms = 0; ms <= 10_000; ms += 2000) {
      bytesRead = ms * 10;
      progress.snapshot();
    }
    expect(progress.snapshot().bytesPerSecond).to.be.above(8000);
    for (ms = 12_000; ms <= 44_000; ms += 2000) progress.snapshot();
    const { bytesPerSecond, estimatedEndAt } = progress.snapshot();
    expect([bytesPerSecond, estimatedEndAt]).to.deep.equal([0, undefined]);
  });

  it('tolerates a clock that is set back', () => {
    const progress = create(1);
    progress.startFile(0, 1000);
    ms = 60_000;
    progress.snapshot();
    ms = 0;
    bytesRead = 10;
    expect(progress.snapshot()).not.to.have.property('bytesPerSecond');
    ms = 1000;
    bytesRead = 30;
    expect(progress.snapshot()).to.include({ bytesPerSecond: 20 });
  });
});
