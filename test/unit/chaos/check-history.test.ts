import { expect } from 'chai';
import { type Seen, STORE_AWAY } from '#test/chaos/observations.ts';
import type { SeenExchange } from '#test/chaos/violation.ts';
import {
  complete,
  delivery,
  ENTRIES,
  FAILED,
  missing,
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
  withPod,
} from './histories.ts';

describe('checkHistory', () => {
  it('reports nothing for correct jobs', () => {
    expect(rules(SUCCEEDED)).to.deep.equal([]);
    expect(rules(FAILED, missing({ object: 'nothing' }))).to.deep.equal([]);
    expect(rules(FAILED, missing({ object: 'older', before: 'older' }))).to.deep.equal([]);
  });

  it('reports an archive of a failed job, even if it was deleted afterwards', () => {
    expect(rules(FAILED, missing())).to.deep.equal(['H4']);
    expect(rules([...uploaded('u1'), ...FAILED], missing({ object: 'nothing' }))).to.deep.equal(['H4']);
  });

  it('reports an older object that a failed job deleted', () => {
    expect(rules(FAILED, missing({ object: 'nothing', before: 'older' }))).to.deep.equal(['H4']);
  });

  it('accepts an archive of a job that ends as OutcomeUnknown, but not this end', () => {
    const seen = [...uploaded('u1'), sight('Failed', 'OutcomeUnknown', 't1'), delivery('m1', 'failed')];
    expect(rules(seen)).to.deep.equal(['F30']);
  });

  it('reports an archive that is missing, differs from the sources or was created twice', () => {
    expect(rules(SUCCEEDED, outcome({ object: 'nothing' }))).to.deep.equal(['H4']);
    expect(rules(SUCCEEDED, outcome({ object: { first: 'a' } }))).to.deep.equal(['H4']);
    expect(rules([...uploaded('u0'), ...SUCCEEDED])).to.deep.equal(['H4']);
  });

  it('accepts a job that finishes before its pod exits, if its attempt is recorded later', () => {
    const finished = sight('Succeeded', 'Uploaded', 't1');
    const early = [...SUCCEEDED.slice(0, -2), withPod(finished)];
    const sent = delivery('m1', 'succeeded');
    expect(rules([...early, sent, finished])).to.deep.equal([]);
    expect(rules([...early, sent]), 'the pod is never gone').to.deep.equal(['H5']);
    expect(rules([...early, sent, finished, withPod(finished)])).to.include('H6');
    const unrecorded = { ...finished, isRecorded: false } as Seen;
    expect(rules([...early, sent, unrecorded])).to.deep.equal(['H5']);
    const cancelled = sight('Cancelled', 'Cancelled', 't1');
    const failed = [withPod(cancelled), cancelled, delivery('m1', 'failed')];
    expect(rules(failed, outcome({ kind: 'cancelled', object: 'nothing' }))).to.deep.equal(['H6']);
  });

  it('reports a job that starts before the pod of another of the same key is gone', () => {
    const finished = sight('Succeeded', 'Uploaded', 't1');
    const early = [...SUCCEEDED.slice(0, -2), withPod(finished), delivery('m1', 'succeeded')];
    const other = [
      ...[sight('Starting'), ...uploaded('u2', 'other'), sight('Succeeded', 'Uploaded', 't2')].map((one) =>
        of('other', one),
      ),
      delivery('m2', 'succeeded', 'other'),
    ];
    const jobs = [outcome(), outcome({ uuid: 'other' })];
    expect(rules([...early, finished, ...other], jobs)).to.deep.equal([]);
    expect(rules([...early, ...other, finished], jobs)).to.deep.equal(['order']);
  });

  it('reports a job that never finishes', () => {
    expect(rules([sight('Queued'), sight('Running')], outcome({ object: 'nothing' }))).to.deep.equal(['H5']);
    expect(rules([], outcome({ object: 'nothing' }))).to.deep.equal(['H5']);
  });

  it('reports a changed final state and an update after the final state', () => {
    expect(rules([...SUCCEEDED, sight('Succeeded', 'Uploaded', 't2')])).to.deep.equal(['H6']);
    expect(rules([sight('Running'), ...SUCCEEDED])).to.deep.equal(['H6']);
  });

  it('reports an API status that moves backwards, changes after the end or is missing', () => {
    function reported(...statuses: readonly string[]) {
      return rules([
        ...SUCCEEDED,
        ...statuses.map((status): Seen => ({ kind: 'response', at: 0, uuid: UUID, status })),
      ]);
    }
    expect(reported('none', 'processing', 'processing', 'succeeded')).to.deep.equal([]);
    expect(reported('processing', 'none')).to.deep.equal(['H6']);
    expect(reported('succeeded', 'processing')).to.deep.equal(['H6']);
    expect(reported('succeeded', 'failed')).to.deep.equal(['H6']);
    expect(reported('none', 'absent')).to.deep.equal(['H5']);
  });

  it('reports a webhook that is missing, has two IDs or a wrong status', () => {
    expect(rules(SUCCEEDED.slice(0, -1))).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m2', 'succeeded')])).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m1', 'failed')])).to.deep.equal(['H7']);
  });

  it('does not count a webhook that the proxy dropped as delivered', () => {
    const lost = post('receiver', '/', {
      notes: { webhookId: 'm1', zipId: UUID, status: 'succeeded' },
      fault: 'drop',
    });
    expect(rules([...SUCCEEDED.slice(0, -1), lost])).to.deep.equal(['H7']);
  });

  it('reports a webhook that the published verifiers refuse, also for a deleted job', () => {
    const notes = { webhookId: 'm1', zipId: UUID, status: 'succeeded', unverified: 'no matching signature' };
    const forged = post('receiver', '/', { notes });
    expect(rules([...SUCCEEDED, forged])).to.deep.equal(['verify']);
    const deleted = { ...sight('Running'), event: 'DELETED' } as Seen;
    expect(rules([forged, deleted], outcome({ kind: 'deleted', object: 'nothing' }))).to.deep.equal([
      'verify',
    ]);
  });

  it('reports two events with one webhook ID', () => {
    const other = 'decaf';
    const history = [
      ...SUCCEEDED,
      of(other, sight('Running'), 'l.zip'),
      of(other, sight('Failed', 'SourceNotFound', 't2'), 'l.zip'),
      delivery('m1', 'failed', other),
    ];
    const jobs = [outcome(), missing({ uuid: other, key: 'l.zip', object: 'nothing' })];
    expect(rules(history, jobs)).to.deep.equal(['H7']);
  });

  it('reports an incomplete upload', () => {
    expect(rules(SUCCEEDED, outcome(), { openUploads: ['k.zip'] })).to.deep.equal(['H8']);
  });

  it('accepts an incomplete upload only of a job that met a store that was away for long', () => {
    const away: Seen = { kind: 'note', at: 0, text: STORE_AWAY };
    const error = post('store', '/bucket/k.zip?uploads', { fault: 'refuse' });
    function left(...seen: readonly Seen[]) {
      return rules([...seen, ...SUCCEEDED], outcome(), { openUploads: ['k.zip'] });
    }
    expect(left(away, error)).to.deep.equal([]);
    expect(left(away)).to.deep.equal(['H8']);
    expect(left(error)).to.deep.equal(['H8']);
  });

  it('reports a second Job unless the first was deleted', () => {
    function job(): Seen {
      return post('api-server', '/apis/batch/v1/namespaces/a/jobs', {
        status: 201,
        notes: { job: `zip-${UUID}` },
      });
    }
    const seen = [job(), job(), ...SUCCEEDED];
    expect(rules(seen)).to.deep.equal(['F2']);
    expect(rules(seen, outcome({ jobsDeleted: 1 }))).to.deep.equal([]);
  });

  it('reports a job that sends requests to the API server in a tight loop', () => {
    const requests = Array.from({ length: 80 }, () => record('u1', 'open'));
    const seen = [...SUCCEEDED, ...requests];
    expect(rules(seen)).to.deep.equal([]);
    expect(rules(seen, outcome(), { stepMs: 100 })).to.deep.equal(['F6']);
  });

  it('reports a job that still exists after its deletion', () => {
    const job = outcome({ kind: 'deleted', object: 'nothing' });
    expect(rules([sight('Running')], job)).to.deep.equal(['F14']);
    expect(rules([sight('Running'), { ...sight('Running'), event: 'DELETED' } as Seen], job)).to.deep.equal(
      [],
    );
  });

  it('reports a part that was sent before its upload was recorded', () => {
    const seen = [
      sight('Running'),
      part('u1'),
      ...uploaded('u1'),
      sight('Succeeded', 'Uploaded', 't1'),
      delivery('m1', 'succeeded'),
    ];
    expect(rules(seen)).to.deep.equal(['fence']);
  });

  it('accepts an upload that recovery completed after a pod that was killed before the response', () => {
    const { status: _, ...unanswered } = record('u1', 'committing') as SeenExchange;
    const seen = [sight('Running'), record('u1', 'open'), part('u1'), unanswered, complete('u1')];
    expect(rules([...seen, ...SUCCEEDED.slice(-2)])).to.deep.equal([]);
    const refused = { ...record('u1', 'committing'), status: 403 } as Seen;
    expect(rules([...seen.with(3, refused), ...SUCCEEDED.slice(-2)])).to.deep.equal(['fence']);
  });

  it('reports an upload that was completed before the status was committing, or by an unknown pod', () => {
    const forced = [sight('Running'), record('u1', 'open'), complete('u1'), ...SUCCEEDED.slice(2)];
    expect(rules(forced)).to.deep.equal(['fence']);
    expect(rules([...SUCCEEDED, complete('u9')])).to.deep.equal(['fence']);
  });

  describe('for jobs with the same key', () => {
    const other = 'decaf';
    const first = [sight('Running'), ...uploaded('u1'), sight('Succeeded', 'Uploaded', 't1')];
    const second = [
      of(other, sight('Running')),
      ...uploaded('u2', other),
      of(other, sight('Succeeded', 'Uploaded', 't2')),
    ];
    const reported = [delivery('m1', 'succeeded'), delivery('m2', 'succeeded', other)];
    function jobs(object: Readonly<Record<string, string>>) {
      return [outcome({ object }), outcome({ uuid: other, object, expected: { third: 'c' } })];
    }

    it('reports nothing if they run one after another and the last archive is at the key', () => {
      expect(rules([...first, ...second, ...reported], jobs({ third: 'c' }))).to.deep.equal([]);
    });

    it('reports a job that started before the other had finished', () => {
      const history = [...first.slice(0, 2), ...second, ...first.slice(2), ...reported];
      expect(rules(history, jobs(ENTRIES))).to.deep.equal(['order']);
    });

    it('reports the archive of the first job at the key', () => {
      expect(rules([...first, ...second, ...reported], jobs(ENTRIES))).to.deep.equal(['H4']);
    });
  });
});
