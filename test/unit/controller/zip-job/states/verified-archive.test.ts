import { expect } from 'chai';
import type { ArchiveContents, Attempt, ZipJobSpec, ZipJobStatus } from '#crds/zip-job.ts';
import { CONTRACT_VERSION } from '#crds/zipper-contract.ts';
import { judge, withStatus } from '#test/support/builders/judge.ts';
import { ago, aJob, aPod, NAME } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { aCondition, anUpload, aResult, running } from '#test/support/builders/zip-job-statuses.ts';

const CONTENTS: ArchiveContents = {
  bytes: 77,
  entries: 2,
  skipped: [1],
  skippedCodes: { SourceNotFound: 1 },
  lengthUnverified: [2],
  contentEncoded: [2],
};

/** The active pod recorded `committing` and was lost. */
function lostWith(
  contents: ArchiveContents | undefined,
  spec: Partial<ZipJobSpec> = {},
  end: Partial<Attempt> = { class: 'disruption' },
) {
  const upload = { ...anUpload('committing'), ...(contents && { archive: contents }) };
  const { job: _job, ...status } = running('p1', { upload });
  const lost: ZipJobStatus = {
    ...status,
    job: { name: NAME, uid: 'uid-job', podName: 'p1' },
    attemptsTotal: 1,
    attempts: [{ n: 1, podUid: 'uid-p1', startedAt: ago(40), finishedAt: ago(2), ...end }],
    conditions: [
      aCondition('Accepted', ['True', 'Accepted']),
      aCondition('Recovered', ['False', 'Recovering']),
    ],
  };
  return withStatus(lost, { onSourceError: 'Skip', ...spec });
}

function found(bytes: number) {
  const recovered = { outcome: 'published', bytes, etag: 'tag' };
  const message = JSON.stringify({ contractVersion: CONTRACT_VERSION, mode: 'recover', recovered });
  return {
    job: aJob({ metadata: { name: `${NAME}-recover-1`, uid: 'uid-recover' } }),
    pods: [aPod('s1', { status: ended({ exitCode: 0, message }) })],
  };
}

describe('decide when the store has the archive of a lost attempt', () => {
  it('reports the figures that were recorded with committing (F28)', () => {
    const { status } = judge({ zipJob: lostWith(CONTENTS), job: aJob(), recovery: found(77) });
    expect(status).to.include({ phase: 'Finalizing', reason: 'VerifiedInStore' });
    expect(status?.message).to.match(/^the attempt was lost, but /);
    expect(status?.result).to.deep.include({ ...CONTENTS, etag: 'tag', seconds: 35 });
  });

  it('says how many pods continued its upload', () => {
    const zipJob = lostWith(CONTENTS);
    const inherits = { uploadId: 'upload-1', owner: 'uid-p0', partSize: 1, checkpoint: 2, resumes: 3 };
    const continued = { ...zipJob, status: { ...zipJob.status, inherits } };
    const { status } = judge({ zipJob: continued, job: aJob(), recovery: found(77) });
    expect(status?.result).to.include({ resumes: 3 });
    expect(status).to.not.have.property('inherits');
  });

  it('adds the recorded lists to a termination message that had no room for them (F28)', () => {
    const {
      skipped: _skipped,
      lengthUnverified: _unverified,
      contentEncoded: _encoded,
      ...short
    } = aResult({ ...CONTENTS, etag: 'tag' });
    const message = JSON.stringify({ contractVersion: CONTRACT_VERSION, mode: 'archive', result: short });
    const pods = [aPod('p1', { status: ended({ exitCode: 0, message }) })];
    const { status } = judge({ zipJob: lostWith(CONTENTS), job: aJob(), pods, recovery: found(77) });
    expect(status?.result).to.deep.equal(aResult({ ...CONTENTS, etag: 'tag' }));
    expect(status?.message).to.equal(
      'the zipper could not record its result, but the bucket contains its complete archive of 77 bytes',
    );
  });

  it('does not accept an object of another size than the recorded one (F28)', () => {
    const { status } = judge({ zipJob: lostWith(CONTENTS), job: aJob(), recovery: found(76) });
    expect(status).to.include({ phase: 'Finalizing', reason: 'OutcomeUnknown' });
    expect(status?.message).to.contain('76 bytes instead of 77');
    expect(status?.result).to.equal(undefined);
  });

  it('does not accept an object that the pod reported as corrupted and could not delete (F27)', () => {
    const { status, events } = judge({
      zipJob: lostWith(CONTENTS, {}, { class: 'transient', reason: 'StoreCorrupted' }),
      job: aJob(),
      recovery: found(77),
    });
    expect(status).to.include({ phase: 'Running' });
    expect(status).to.not.have.property('result');
    expect(events.map(({ message }) => message)).to.include(
      'attempt 1 was recovered: the object at the key does not match its parts and was not deleted',
    );
  });

  it('verifies the recorded figures against the request (F28)', () => {
    const zipJob = lostWith(CONTENTS, { onSourceError: 'Fail' });
    const { status } = judge({ zipJob, job: aJob(), recovery: found(77) });
    expect(status).to.include({ phase: 'Finalizing', reason: 'ResultInvalid' });
  });

  it('keeps the lists out of the records of attempts, which repeat them (F28)', () => {
    const { status } = judge({ zipJob: lostWith(CONTENTS), job: aJob(), recovery: found(77) });
    expect(status?.attempts?.[0]?.upload).to.deep.equal(anUpload('committing'));
  });

  it('assumes all files for a zipper that recorded no figures', () => {
    const { status } = judge({ zipJob: lostWith(undefined), job: aJob(), recovery: found(77) });
    expect(status?.result).to.include({ bytes: 77, entries: 3 });
  });
});
