import { expect } from 'chai';
import type { Seen } from '#test/chaos/history.ts';
import {
  complete,
  delivery,
  ENTRIES,
  FAILED,
  of,
  outcome,
  part,
  post,
  record,
  rules,
  SUCCEEDED,
  sight,
  UUID,
  uploaded,
} from './story.ts';

describe('checkHistory', () => {
  it('finds nothing in a job that went as it should', () => {
    expect(rules(SUCCEEDED)).to.deep.equal([]);
    expect(rules(FAILED, outcome({ object: 'nothing' }))).to.deep.equal([]);
    expect(rules(FAILED, outcome({ object: 'older', before: 'older' }))).to.deep.equal([]);
  });

  it('finds an archive of a job that failed, also one that is gone again', () => {
    expect(rules(FAILED)).to.deep.equal(['H4']);
    expect(rules([...uploaded('u1'), ...FAILED], outcome({ object: 'nothing' }))).to.deep.equal(['H4']);
  });

  it('finds an older object that a job took away although it failed', () => {
    expect(rules(FAILED, outcome({ object: 'nothing', before: 'older' }))).to.deep.equal(['H4']);
  });

  it('lets an archive pass whose job says that nobody knows', () => {
    const seen = [...uploaded('u1'), sight('Failed', 'OutcomeUnknown', 't1'), delivery('m1', 'failed')];
    expect(rules(seen)).to.deep.equal([]);
  });

  it('finds an archive that is missing, other than the sources, or made twice', () => {
    expect(rules(SUCCEEDED, outcome({ object: 'nothing' }))).to.deep.equal(['H4']);
    expect(rules(SUCCEEDED, outcome({ object: { first: 'a' } }))).to.deep.equal(['H4']);
    expect(rules([...uploaded('u0'), ...SUCCEEDED])).to.deep.equal(['H4']);
  });

  it('finds a job that never ends', () => {
    expect(rules([sight('Queued'), sight('Running')], outcome({ object: 'nothing' }))).to.deep.equal(['H5']);
    expect(rules([], outcome({ object: 'nothing' }))).to.deep.equal(['H5']);
  });

  it('finds a second end and a step back', () => {
    expect(rules([...SUCCEEDED, sight('Succeeded', '', 't2')])).to.deep.equal(['H6']);
    expect(rules([sight('Running'), ...SUCCEEDED])).to.deep.equal(['H6']);
  });

  it('finds an API that tells less than before, two ends, or nothing of what it accepted', () => {
    const reported = (...statuses: readonly string[]) =>
      rules([
        ...SUCCEEDED,
        ...statuses.map((status): Seen => ({ kind: 'response', at: 0, uuid: UUID, status })),
      ]);
    expect(reported('none', 'processing', 'processing', 'succeeded')).to.deep.equal([]);
    expect(reported('processing', 'none')).to.deep.equal(['H6']);
    expect(reported('succeeded', 'processing')).to.deep.equal(['H6']);
    expect(reported('succeeded', 'failed')).to.deep.equal(['H6']);
    expect(reported('none', 'absent')).to.deep.equal(['H5']);
  });

  it('finds a webhook that was never delivered, has two ids, or tells another end', () => {
    expect(rules(SUCCEEDED.slice(0, -1))).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m2', 'succeeded')])).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m1', 'failed')])).to.deep.equal(['H7']);
  });

  it('does not take for delivered what the proxy answered or swallowed', () => {
    const lost = post('receiver', '/', {
      notes: { webhookId: 'm1', zipId: UUID, status: 'succeeded' },
      fault: 'drop',
    });
    expect(rules([...SUCCEEDED.slice(0, -1), lost])).to.deep.equal(['H7']);
  });

  it('finds a webhook that the published verifiers refuse, also of a job that is deleted', () => {
    const notes = { webhookId: 'm1', zipId: UUID, status: 'succeeded', unverified: 'no matching signature' };
    const forged = post('receiver', '/', { notes });
    expect(rules([...SUCCEEDED, forged])).to.deep.equal(['verify']);
    const gone = { ...sight('Running'), event: 'DELETED' } as Seen;
    expect(rules([forged, gone], outcome({ isDeleted: true, object: 'nothing' }))).to.deep.equal(['verify']);
  });

  it('finds two events of one webhook id', () => {
    const other = 'decaf';
    const story = [
      ...SUCCEEDED,
      of(other, sight('Running')),
      of(other, sight('Failed', 'SourceNotFound', 't2')),
      delivery('m1', 'failed', other),
    ];
    const jobs = [outcome(), outcome({ uuid: other, key: 'l.zip', object: 'nothing' })];
    expect(rules(story, jobs)).to.deep.equal(['H7']);
  });

  it('finds an upload that is left open', () => {
    expect(rules(SUCCEEDED, outcome(), { openUploads: ['k.zip'] })).to.deep.equal(['H8']);
  });

  it('finds a second Job, unless the first was deleted', () => {
    const job = (): Seen =>
      post('api-server', '/apis/batch/v1/namespaces/a/jobs', {
        status: 201,
        notes: { job: `zip-${UUID}` },
      });
    const seen = [job(), job(), ...SUCCEEDED];
    expect(rules(seen)).to.deep.equal(['F2']);
    expect(rules(seen, outcome({ jobsDeleted: 1 }))).to.deep.equal([]);
  });

  it('finds a job that asks the API server in a tight loop', () => {
    const asked = Array.from({ length: 60 }, () => record('u1', 'open'));
    const seen = [...SUCCEEDED, ...asked];
    expect(rules(seen)).to.deep.equal([]);
    expect(rules(seen, outcome(), { stepMs: 100 })).to.deep.equal(['F6']);
  });

  it('finds a job that was deleted and is still there', () => {
    const job = outcome({ isDeleted: true, object: 'nothing' });
    expect(rules([sight('Running')], job)).to.deep.equal(['F14']);
    expect(rules([sight('Running'), { ...sight('Running'), event: 'DELETED' } as Seen], job)).to.deep.equal(
      [],
    );
  });

  it('finds a part that was sent before its upload was recorded', () => {
    const seen = [
      sight('Running'),
      part('u1'),
      ...uploaded('u1'),
      sight('Succeeded', 'Uploaded', 't1'),
      delivery('m1', 'succeeded'),
    ];
    expect(rules(seen)).to.deep.equal(['fence']);
  });

  it('finds an upload that was completed before the status said so, or by nobody', () => {
    const forced = [sight('Running'), record('u1', 'open'), complete('u1'), ...SUCCEEDED.slice(2)];
    expect(rules(forced)).to.deep.equal(['fence']);
    expect(rules([...SUCCEEDED, complete('u9')])).to.deep.equal(['fence']);
  });

  describe('of jobs that write one key', () => {
    const other = 'decaf';
    const first = [sight('Running'), ...uploaded('u1'), sight('Succeeded', 'Uploaded', 't1')];
    const second = [
      of(other, sight('Running')),
      ...uploaded('u2', other),
      of(other, sight('Succeeded', 'Uploaded', 't2')),
    ];
    const reported = [delivery('m1', 'succeeded'), delivery('m2', 'succeeded', other)];
    const jobs = (object: Readonly<Record<string, string>>) => [
      outcome({ object }),
      outcome({ uuid: other, object, expected: { third: 'c' } }),
    ];

    it('finds nothing when they take turns and the last one stands at the key', () => {
      expect(rules([...first, ...second, ...reported], jobs({ third: 'c' }))).to.deep.equal([]);
    });

    it('finds one that began before the other had ended', () => {
      const story = [...first.slice(0, 2), ...second, ...first.slice(2), ...reported];
      expect(rules(story, jobs(ENTRIES))).to.deep.equal(['turn']);
    });

    it('finds the archive of the first at the key', () => {
      expect(rules([...first, ...second, ...reported], jobs(ENTRIES))).to.deep.equal(['H4']);
    });
  });
});
