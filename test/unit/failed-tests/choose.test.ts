import { expect } from 'chai';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { chooseNamespaces, chooseZipJobs } from '#test/support/failed-tests/choose.ts';
import { lastChange } from '#test/support/failed-tests/test-window.ts';

const before = (seconds: number): number => NOW.getTime() - seconds * 1000;
const window = { fileFrom: before(60), from: before(10), to: before(0) };

const aJob = (name: string, phase: ZipJobStatus['phase'], created = ago(5)) =>
  aZipJob({ metadata: { name, creationTimestamp: created }, status: phase ? { phase } : {} });

describe('chooseNamespaces', () => {
  const listed = (name: string, createdAgo: number, changedAgo?: number) => ({
    name,
    createdAt: before(createdAgo),
    changedAt: changedAgo === undefined ? 0 : before(changedAgo),
  });

  it('prefers namespaces that the file created to those that changed during the test', () => {
    const all = [listed('older', 500, 1), listed('own', 50), listed('own-changed', 55, 5)];
    expect(chooseNamespaces(all, window, 3)).to.deep.equal(['own-changed', 'own', 'older']);
    expect(chooseNamespaces(all, window, 1)).to.deep.equal(['own-changed']);
  });

  it('leaves out older namespaces without changes', () => {
    const all = [listed('empty', 500), listed('quiet', 500, 100)];
    expect(chooseNamespaces(all, window, 3)).to.deep.equal([]);
  });

  it('accepts a time that Kubernetes has truncated to seconds', () => {
    expect(chooseNamespaces([listed('own', 60.9)], window, 3)).to.deep.equal(['own']);
  });
});

describe('chooseZipJobs', () => {
  const names = (...jobs: readonly ReturnType<typeof aJob>[]) =>
    chooseZipJobs(jobs, window, 3).map(({ metadata }) => metadata.name);

  it('prefers failed and unfinished jobs to succeeded ones', () => {
    const chosen = names(
      aJob('succeeded', 'Succeeded'),
      aJob('failed', 'Failed'),
      aJob('new', undefined, ago(3)),
      aJob('running-for-long', 'Running', ago(50)),
    );
    expect(chosen).to.deep.equal(['new', 'failed', 'running-for-long']);
  });

  it('includes a succeeded job only if it changed during the test', () => {
    expect(names(aJob('now', 'Succeeded'), aJob('earlier', 'Succeeded', ago(50)))).to.deep.equal(['now']);
  });
});

describe('lastChange', () => {
  it('is the latest of creation, deletion and writes', () => {
    const metadata = {
      creationTimestamp: ago(50),
      managedFields: [{ time: ago(20) }, { time: ago(30) }, {}],
    };
    expect(lastChange(metadata)).to.equal(before(20));
    expect(lastChange({ ...metadata, deletionTimestamp: ago(1) })).to.equal(before(1));
    expect(lastChange({})).to.equal(0);
  });
});
