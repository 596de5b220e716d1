import { expect } from 'chai';
import { expiresAt, fileListExpiresAt } from '#controller/zip-job/lifetime/lifetime.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { aCondition, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('expiresAt', () => {
  const config = aConfig();
  function at(seconds: number): Date {
    return new Date(Date.parse(ago(seconds)));
  }
  it('defaults to seven days after the end', () => {
    expect(expiresAt(aZipJob({ status: finishedAs('Failed') }), config)).to.deep.equal(at(10 - 604_800));
  });
  it('uses the time in the spec for each result', () => {
    const spec = { ttlSecondsAfterFinished: { succeeded: 5, failed: 60 } };
    expect(expiresAt(aZipJob({ spec, status: finishedAs('Succeeded') }), config)).to.deep.equal(at(5));
    expect(expiresAt(aZipJob({ spec, status: finishedAs('Cancelled') }), config)).to.deep.equal(at(-50));
  });
  it('is a day after the end for a surplus job, unless its own time is shorter (N2)', () => {
    const facts = { isSurplus: true };
    const status = finishedAs('Succeeded');
    expect(expiresAt(aZipJob({ status }), config, facts)).to.deep.equal(at(10 - 86_400));
    const spec = { ttlSecondsAfterFinished: { succeeded: 60 } };
    expect(expiresAt(aZipJob({ spec, status }), config, facts)).to.deep.equal(at(-50));
  });
  it('is undefined for a surplus job whose webhook is pending or whose list is in use (N2)', () => {
    const pending = finishedAs('Succeeded', { webhook: { state: 'Pending' } });
    expect(expiresAt(aZipJob({ status: pending }), config, { isSurplus: true })).to.equal(undefined);
    const facts = { isSurplus: true, listUsers: [aZipJob({ status: running('p1') })] };
    expect(expiresAt(aZipJob({ status: finishedAs('Failed') }), config, facts)).to.equal(undefined);
  });
  it('is undefined while a webhook is pending (W18)', () => {
    const status = finishedAs('Succeeded', { webhook: { state: 'Pending' } });
    expect(expiresAt(aZipJob({ status }), config)).to.equal(undefined);
  });
  describe('with a history', () => {
    const refuse = aConfig({ historyHost: 'db.example' });
    const drop = aConfig({ historyHost: 'db.example', historyWhenFull: 'drop' });
    function as(...archived: Parameters<typeof aCondition>[1][]) {
      return finishedAs('Succeeded', { conditions: archived.map((note) => aCondition('Archived', note)) });
    }
    const stored = aZipJob({ status: as(['True', 'Archived']) });

    it('is an hour after the end of an archived job, or its own TTL if that is shorter', () => {
      expect(expiresAt(stored, refuse)).to.deep.equal(at(10 - 3600));
      const spec = { ttlSecondsAfterFinished: { succeeded: 60 } };
      expect(expiresAt({ ...stored, spec: { ...stored.spec, ...spec } }, refuse)).to.deep.equal(at(-50));
    });

    it('is not before its file list and its pods expire', () => {
      const ownedUntil = [at(10 - 7_200), undefined];
      expect(expiresAt(stored, refuse, { ownedUntil })).to.deep.equal(at(10 - 7_200));
    });

    it('is undefined beyond the TTL while the history lacks the job (G8)', () => {
      for (const status of [as(), as(['True', 'ArchiveOutdated'])]) {
        const old = aZipJob({ status: { ...status, finishedAt: ago(8 * 86_400) } });
        expect(expiresAt(old, refuse)).to.equal(undefined);
        expect(expiresAt(old, drop)).to.equal(undefined);
        expect(expiresAt(old, refuse, { isSurplus: true })).to.equal(undefined);
      }
    });

    it('is a minute after the end of a surplus job that is archived, or that a full project drops (G8)', () => {
      const lacking = aZipJob({ status: as() });
      expect(expiresAt(stored, refuse, { isSurplus: true })).to.deep.equal(at(10 - 60));
      expect(expiresAt(lacking, drop, { isSurplus: true })).to.deep.equal(at(10 - 60));
    });

    it('is not within a minute of the end, because a request with the same Idempotency-Key may be late', () => {
      const spec = { ttlSecondsAfterFinished: { succeeded: 5 } };
      const facts = { isSurplus: true };
      for (const short of [stored, aZipJob({ status: as() })]) {
        const job = { ...short, spec: { ...short.spec, ...spec } };
        expect(expiresAt(job, drop, facts)).to.deep.equal(at(10 - 60));
      }
      const own = { ...stored, spec: { ...stored.spec, ...spec } };
      expect(expiresAt(own, refuse)).to.deep.equal(at(10 - 60));
      expect(expiresAt(own, config)).to.deep.equal(at(5));
    });

    it('is its own TTL for a job that the history refused', () => {
      const refused = aZipJob({ status: as(['False', 'ArchiveRefused']) });
      expect(expiresAt(refused, refuse)).to.deep.equal(at(10 - 604_800));
    });
  });
  it('is set for a file list until the list is deleted', () => {
    const status = finishedAs('Succeeded');
    expect(fileListExpiresAt(aZipJob({ status }), config)).to.deep.equal(at(10 - 3600));
    const metadata = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } };
    expect(fileListExpiresAt(aZipJob({ status, metadata }), config)).to.equal(undefined);
  });
  it('counts from the end of the last rerun for the file list, and is undefined for both while a rerun runs', () => {
    const first = aZipJob({ status: finishedAs('Failed', { finishedAt: ago(5_000) }) });
    function again(status: ZipJobStatus) {
      return aZipJob({ metadata: { name: 'again' }, spec: { ...first.spec }, status });
    }
    expect(fileListExpiresAt(first, config, [again(running('p1'))])).to.equal(undefined);
    expect(expiresAt(first, config, { listUsers: [again(running('p1'))] })).to.equal(undefined);
    const ended = again(finishedAs('Failed'));
    expect(fileListExpiresAt(first, config, [ended])).to.deep.equal(at(10 - 3600));
    expect(fileListExpiresAt(ended, config)).to.equal(undefined);
  });
});
