/** The oracle notices a product that fails, skips or doubles its jobs. */
import { expect } from 'chai';
import { checkEnds, endLines, type JobEnd } from '#test/chaos/count-ends.ts';
import { BUCKET_DELETED, type Seen } from '#test/chaos/observations.ts';
import {
  delivery,
  FAILED,
  missing,
  of,
  outcome,
  post,
  rules,
  SUCCEEDED,
  sight,
  UUID,
  uploaded,
} from './histories.ts';

function ended(phase: 'Failed' | 'Cancelled', reason: string): readonly Seen[] {
  return [sight('Queued'), sight(phase, reason, 't1'), delivery('m1', 'failed')];
}

const nothing = outcome({ object: 'nothing' });

function sourceError(path: string): Seen {
  return post('source', path, {
    request: { method: 'GET', path, headers: {}, actor: undefined },
    status: 503,
    fault: 'response',
  });
}

describe('checkHistory of planned ends', () => {
  it('reports a product that fails every job, whatever the reason (F30)', () => {
    for (const reason of ['SourceNotFound', 'InvalidMetadata', 'StoreUnavailable', 'OutcomeUnknown'])
      expect(rules(ended('Failed', reason), nothing), reason).to.deep.equal(['F30']);
    expect(rules(ended('Failed', 'InvalidMetadata'), missing({ object: 'nothing' }))).to.deep.equal(['F30']);
  });

  it('reports a product that skips every job: cancelled without a request, or successful without work (F30)', () => {
    expect(rules(ended('Cancelled', 'Cancelled'), nothing)).to.deep.equal(['F30']);
    const idle = [sight('Succeeded', 'Uploaded', 't1'), delivery('m1', 'succeeded')];
    expect(rules(idle, nothing)).to.deep.equal(['H4']);
    expect(rules([sight('Queued')], nothing)).to.deep.equal(['H5']);
    expect(rules(SUCCEEDED, missing())).to.deep.equal(['F30']);
  });

  it('reports a product that doubles every job: its object, its Job, its archive or its webhook (F30)', () => {
    function job(): Seen {
      return post('api-server', '/apis/batch/v1/namespaces/a/jobs', {
        status: 201,
        notes: { job: `zip-${UUID}` },
      });
    }
    expect(rules([of('decaf', sight('Queued')), ...SUCCEEDED])).to.deep.equal(['F1']);
    expect(rules([job(), job(), ...SUCCEEDED])).to.deep.equal(['F2']);
    expect(rules([...uploaded('u0'), ...SUCCEEDED])).to.deep.equal(['H4']);
    expect(rules([...SUCCEEDED, delivery('m2', 'succeeded')])).to.deep.equal(['H7']);
  });

  it('accepts a failure only of the job that met the injected error, and only for that reason (F30)', () => {
    function failed(reason: string, met: Seen) {
      return rules([met, ...ended('Failed', reason)], nothing);
    }
    expect(failed('SourceUnavailable', sourceError('/gen/1/1'))).to.deep.equal([]);
    expect(failed('SourceUnavailable', sourceError('/gen/1/3'))).to.deep.equal(['F30']);
    expect(failed('StoreUnavailable', sourceError('/gen/1/1'))).to.deep.equal(['F30']);
    function store(fault: 'response' | 'drop') {
      return post('store', '/bucket/k.zip?uploads', { status: 503, fault });
    }
    expect(failed('StoreUnavailable', store('response'))).to.deep.equal([]);
    expect(failed('StoreUnavailable', store('drop'))).to.deep.equal(['F30']);
    for (const reason of ['BucketNotFound', 'BucketTerminating', 'BucketDeleted']) {
      expect(failed(reason, { kind: 'note', at: 0, text: BUCKET_DELETED })).to.deep.equal([]);
      expect(failed(reason, sourceError('/gen/1/1'))).to.deep.equal(['F30']);
    }
  });

  it('accepts a deleted Job as the reason only if the test deleted it (F30)', () => {
    const seen = ended('Failed', 'JobDeleted');
    expect(rules(seen, nothing)).to.deep.equal(['F30']);
    expect(rules(seen, outcome({ object: 'nothing', jobsDeleted: 1 }))).to.deep.equal([]);
  });

  it('accepts a cancelled job that was cancelled or was faster, but not one that failed (F30)', () => {
    const cancelled = outcome({ kind: 'cancelled', object: 'nothing' });
    expect(rules(ended('Cancelled', 'Cancelled'), cancelled)).to.deep.equal([]);
    expect(rules(SUCCEEDED, outcome({ kind: 'cancelled' }))).to.deep.equal([]);
    expect(rules(FAILED, cancelled)).to.deep.equal(['F30']);
  });

  it('reports a deleted job that failed before its deletion (F30)', () => {
    const gone = { ...sight('Failed', 'Internal', 't1'), event: 'DELETED' } as Seen;
    expect(rules([sight('Failed', 'Internal', 't1'), gone], outcome({ kind: 'deleted' }))).to.deep.equal([
      'F30',
    ]);
  });
});

describe('checkEnds', () => {
  function ends(kind: JobEnd['kind'], count: number, end: JobEnd['end']): readonly JobEnd[] {
    return Array.from({ length: count }, () => ({ kind, end }));
  }

  it('counts the ends of each planned kind, the most frequent first (F30)', () => {
    const run = [
      ...ends('slow', 2, 'Succeeded Uploaded'),
      ...ends('cancelled', 1, 'Succeeded Uploaded'),
      ...ends('cancelled', 3, 'Cancelled Cancelled'),
    ];
    expect(endLines(run)).to.deep.equal([
      'cancelled       4 jobs: 3 Cancelled Cancelled, 1 Succeeded Uploaded',
      'slow            2 jobs: 2 Succeeded Uploaded',
    ]);
  });

  it('reports a run in which no job of a kind reached the end that was planned (F30)', () => {
    const never = checkEnds(ends('cancelled', 20, 'Succeeded Uploaded'));
    expect(never.map(({ rule, text }) => `${rule} ${text}`)).to.deep.equal([
      'F30 none of 20 jobs planned as cancelled ended as Cancelled Cancelled',
    ]);
    expect(checkEnds(ends('cancelled', 19, 'Succeeded Uploaded'))).to.deep.equal([]);
    expect(
      checkEnds([...ends('slow', 20, 'unfinished'), ...ends('slow', 1, 'Succeeded Uploaded')]),
    ).to.deep.equal([]);
  });
});
