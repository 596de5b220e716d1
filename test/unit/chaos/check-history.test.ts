import { expect } from 'chai';
import type { Phase } from '#crds/zip-job.ts';
import { apiStatusOf } from '#crds/zip-job.ts';
import { checkHistory, type JobOutcome } from '../../chaos/check-history.ts';
import type { Place, Seen } from '../../chaos/history.ts';

const UUID = 'c0ffee';
const ENTRIES = { first: 'a', second: 'b' };

const sight = (phase: Phase, reason = '', finishedAt?: string): Seen => ({
  kind: 'zip-job',
  at: 0,
  event: 'MODIFIED',
  name: `zip-${UUID}`,
  phase,
  apiStatus: apiStatusOf(phase),
  reason,
  finishedAt,
});

const post = (place: Place, path: string, more: Partial<Extract<Seen, { kind: 'exchange' }>> = {}): Seen => ({
  kind: 'exchange',
  place,
  at: 0,
  endedAt: 0,
  request: { method: 'POST', path, headers: {}, actor: undefined },
  status: 200,
  notes: {},
  ...more,
});

const complete = (uploadId: string): Seen => post('store', `/bucket/k.zip?uploadId=${uploadId}`);

const delivery = (webhookId: string, status: string): Seen =>
  post('receiver', '/', { notes: { webhookId, zipId: UUID, status } });

const outcome = (more: Partial<JobOutcome> = {}): JobOutcome => ({
  uuid: UUID,
  key: 'k.zip',
  expected: ENTRIES,
  object: ENTRIES,
  jobsDeleted: 0,
  ...more,
});

/** The rules that are broken when things happen in this order. */
const rules = (
  story: readonly Seen[],
  job: JobOutcome = outcome(),
  openUploads: readonly string[] = [],
): readonly string[] =>
  checkHistory(
    story.map((one, at) => ({ ...one, at })),
    { jobs: [job], openUploads },
  ).map(({ rule }) => rule);

const SUCCEEDED: readonly Seen[] = [
  sight('Queued'),
  sight('Running'),
  complete('u1'),
  sight('Succeeded', 'Uploaded', 't1'),
  delivery('m1', 'succeeded'),
];
const FAILED: readonly Seen[] = [
  sight('Running'),
  sight('Failed', 'SourceNotFound', 't1'),
  delivery('m1', 'failed'),
];

describe('checkHistory', () => {
  it('finds nothing in a job that went as it should', () => {
    expect(rules(SUCCEEDED)).to.deep.equal([]);
    expect(rules(FAILED, outcome({ object: 'nothing' }))).to.deep.equal([]);
    expect(rules(FAILED, outcome({ object: 'older' }))).to.deep.equal([]);
  });

  it('finds an archive of a job that failed, also one that is gone again', () => {
    expect(rules(FAILED)).to.deep.equal(['H4']);
    expect(rules([complete('u1'), ...FAILED], outcome({ object: 'nothing' }))).to.deep.equal(['H4']);
  });

  it('lets an archive pass whose job says that nobody knows', () => {
    const seen = [complete('u1'), sight('Failed', 'OutcomeUnknown', 't1'), delivery('m1', 'failed')];
    expect(rules(seen)).to.deep.equal([]);
  });

  it('finds an archive that is missing, other than the sources, or made twice', () => {
    expect(rules(SUCCEEDED, outcome({ object: 'nothing' }))).to.deep.equal(['H4']);
    expect(rules(SUCCEEDED, outcome({ object: { first: 'a' } }))).to.deep.equal(['H4']);
    expect(rules([complete('u0'), ...SUCCEEDED])).to.deep.equal(['H4']);
  });

  it('finds a job that never ends', () => {
    expect(rules([sight('Queued'), sight('Running')])).to.deep.equal(['H5']);
    expect(rules([])).to.deep.equal(['H5']);
  });

  it('finds a second end and a step back', () => {
    expect(rules([...SUCCEEDED, sight('Succeeded', '', 't2')])).to.deep.equal(['H6']);
    expect(rules([sight('Running'), ...SUCCEEDED])).to.deep.equal(['H6']);
  });

  it('finds a webhook that was never delivered, has two ids, or tells another end', () => {
    expect(rules(SUCCEEDED.slice(0, 4))).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m2', 'succeeded')])).to.deep.equal(['H7']);
    expect(rules([...SUCCEEDED, delivery('m1', 'failed')])).to.deep.equal(['H7']);
  });

  it('finds an upload that is left open', () => {
    expect(rules(SUCCEEDED, outcome(), ['k.zip'])).to.deep.equal(['H8']);
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
});
