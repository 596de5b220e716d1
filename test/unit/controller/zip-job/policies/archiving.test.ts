import { expect } from 'chai';
import { lacksArchive } from '#controller/cluster/archive-state.ts';
import { archiveDueAt, archiving } from '#controller/zip-job/policies/archiving.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';
import { aCondition, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

const config = aConfig({ historyHost: 'db.example' });
const pending = { webhook: { state: 'Pending' } } as const;
const active = { job: { name: 'a', uid: 'j', podUid: 'p' } };
const stored = { conditions: [aCondition('Archived', ['True', 'Archived'])] };
const outdated = { conditions: [aCondition('Archived', ['True', 'ArchiveOutdated'])] };
const refused = { conditions: [aCondition('Archived', ['False', 'ArchiveRefused'])] };

function done(more: ZipJobStatus = {}) {
  return aZipJob({ status: finishedAs('Succeeded', more) });
}

describe('archiveDueAt', () => {
  function at(more: ZipJobStatus) {
    return archiveDueAt(done(more), config);
  }

  it('is the end of a job whose webhook and pod are done', () => {
    expect(at({})).to.deep.equal(new Date(ago(10)));
    expect(at(outdated)).to.deep.equal(new Date(ago(10)));
  });

  it('is later while the webhook is pending or the pod has not exited, but not later than the limit', () => {
    for (const more of [pending, active]) expect(at(more)).to.deep.equal(new Date(ago(10 - 300)));
  });

  it('is the end of a job that is being deleted, whatever is pending', () => {
    const zipJob = aZipJob({
      status: finishedAs('Failed', pending),
      metadata: { deletionTimestamp: ago(1) },
    });
    expect(archiveDueAt(zipJob, config)).to.deep.equal(new Date(ago(10)));
  });

  it('is undefined for a job that is unfinished, stored, refused, or stored with a pending webhook', () => {
    expect(archiveDueAt(aZipJob({ status: running('p1') }), config)).to.equal(undefined);
    for (const more of [stored, refused, { ...outdated, ...pending }]) expect(at(more)).to.equal(undefined);
  });

  it('is undefined without a history (G10)', () => {
    expect(archiveDueAt(done(), aConfig())).to.equal(undefined);
  });
});

describe('archiving', () => {
  const at = { settings: config, now: NOW };

  it('stores a job that is due, and says whether its status is final', () => {
    expect(archiving(done(), 'uid', at)).to.deep.equal({ kind: 'store', isFinal: true });
    const slow = done({ ...pending, finishedAt: ago(301) });
    expect(archiving(slow, 'uid', at)).to.deep.equal({ kind: 'store', isFinal: false });
  });

  it('does nothing for a job that is gone, not due or stored, and refuses one without a project', () => {
    for (const zipJob of [undefined, done(pending), done(stored)])
      expect(archiving(zipJob, 'uid', at)).to.deep.equal({ kind: 'nothing' });
    expect(archiving(done(), undefined, at)).to.deep.equal({ kind: 'refuse', reason: 'ProjectNotFound' });
  });
});

describe('lacksArchive', () => {
  it('is false for a job that was deleted before it had a Job, because its request may be repeated', () => {
    const deleted = finishedAs('Cancelled', { reason: 'Deleted' });
    expect(lacksArchive(aZipJob({ status: deleted }))).to.equal(false);
    const job = { name: 'a', uid: 'j' };
    expect(lacksArchive(aZipJob({ status: { ...deleted, job } }))).to.equal(true);
  });
});
