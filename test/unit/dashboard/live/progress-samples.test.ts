import { expect } from 'chai';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { createProgressSamples } from '#dashboard/live/progress-samples.ts';
import { aZipJob, NAME, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const KEY = `${NAMESPACE}/${NAME}`;
const FRESH = toListedJob(aZipJob());

function at(second: number, bytesRead = second): ListedJob {
  return toListedJob(
    aZipJob({
      status: {
        phase: 'Running',
        progress: {
          podUid: 'pod',
          filesTotal: 10,
          filesDone: 1,
          bytesRead,
          bytesUploaded: 0,
          display: '1/10',
          updatedAt: new Date(NOW.getTime() + second * 1000).toISOString(),
        },
      },
    }),
  );
}

describe('createProgressSamples', () => {
  const samples = createProgressSamples();
  function note(object: ListedJob, key = KEY): void {
    samples.note({ kind: 'set', key, object, before: undefined });
  }
  function bytes(): readonly number[] {
    return samples.of(KEY).map(({ bytesRead }) => bytesRead);
  }
  beforeEach(() => samples.note({ kind: 'deleted', key: KEY, before: FRESH }));

  it('keeps one sample per time', () => {
    for (const second of [1, 2, 2, 1, 3]) note(at(second));
    note(FRESH);
    expect(bytes()).to.deep.equal([1, 2, 3]);
  });

  it('restarts with a new attempt', () => {
    for (const object of [at(1, 100), at(2, 200), at(3, 5)]) note(object);
    expect(bytes()).to.deep.equal([5]);
  });

  it('restarts when the clock of the pod is corrected (F18)', () => {
    for (const object of [at(3_600, 0), at(2, 20), at(3, 30)]) note(object);
    expect(bytes()).to.deep.equal([20, 30]);
  });

  it('thins out the samples of a long job but covers its whole run', () => {
    for (let second = 0; second < 2_000; second += 1) note(at(second));
    expect(bytes().length).to.be.within(32, 64);
    expect(bytes()[0]).to.equal(0);
    expect(bytes().at(-1)).to.be.greaterThan(1_980);
  });

  it('removes a deleted job, and evicts the one without progress for longest', () => {
    note(at(1));
    for (let index = 0; index < 2_000; index += 1) note(at(1), `${NAMESPACE}/job-${index}`);
    expect(bytes()).to.deep.equal([]);
    expect(samples.of(`${NAMESPACE}/job-0`)).to.have.lengthOf(1);
    samples.note({ kind: 'deleted', key: `${NAMESPACE}/job-0`, before: FRESH });
    expect(samples.of(`${NAMESPACE}/job-0`)).to.deep.equal([]);
  });
});
