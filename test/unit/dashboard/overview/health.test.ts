import { expect } from 'chai';
import type { Condition } from '#crds/conditions.ts';
import { endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { type Ended, findingsOf, type HealthFacts } from '#dashboard/overview/health.ts';
import { limitMeters } from '#dashboard/projects/project-limits.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const HOME = '/projects/team-a';
const AT = '2026-01-02T03:04:05Z';

function ended(label: string, succeeded: number, failures: Ended['failures'] = []): Ended {
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  return {
    label,
    href: `${HOME}/${label}`,
    total: { succeeded, failed },
    failures,
    faults: { caller: failed, operator: 0 },
  };
}

function findings(change: Partial<HealthFacts> = {}) {
  return findingsOf({
    project: aProject('team-a'),
    current: { phases: [], paused: 0, oldestWaiting: undefined },
    hour: ended('hour', 0),
    day: ended('24 hours', 1_203),
    isAway: false,
    limits: [],
    ...change,
  });
}

function texts(change: Partial<HealthFacts>) {
  return findings(change).map(({ look, text }) => [look, text]);
}

function condition(type: string, status: Condition['status']): Condition {
  return { type, status, reason: 'X', message: 'Says why.', lastTransitionTime: AT };
}

describe('the health of a project', () => {
  it('is good without failures, and says of how many jobs (Q-U2)', () => {
    expect(texts({})).to.deep.equal([['good', 'All good: 1,203 jobs succeeded in the last 24 hours.']]);
    expect(texts({ day: ended('24 hours', 0) })).to.deep.equal([
      ['good', 'Nothing is wrong. No job finished in the last 24 hours.'],
    ]);
  });

  it('says how many jobs failed in the last hour, with the most frequent reason (Q-U2)', () => {
    const hour = ended('hour', 2, [
      { reason: 'SourceNotFound', count: 3 },
      { reason: 'AccessDenied', count: 1 },
    ]);
    const [first] = findings({ hour });
    expect(first).to.deep.include({
      look: 'quiet',
      text: '4 of 6 jobs failed in the last hour, 3 with SourceNotFound.',
      href: `${HOME}/hour`,
    });
  });

  const sentences = [
    { failures: [['SourceNotFound', 1]], end: '1 of 2 jobs failed in the last hour, with SourceNotFound.' },
    {
      failures: [['SourceNotFound', 2]],
      end: '2 of 3 jobs failed in the last hour, all with SourceNotFound.',
    },
    {
      failures: [
        ['A', 1],
        ['B', 1],
      ],
      end: '2 of 3 jobs failed in the last hour.',
    },
  ] as const;
  for (const { failures, end } of sentences)
    it(`says "${end}" (Q-U2)`, () => {
      const hour = ended(
        'hour',
        1,
        failures.map(([reason, count]) => ({ reason, count })),
      );
      expect(findings({ hour })[0].text).to.equal(end);
    });

  it('is bad above the threshold only, in the last hour or else in the whole day (Q-O9)', () => {
    const many = [{ reason: 'SourceNotFound', count: 40 }];
    const one = [{ reason: 'SourceNotFound', count: 1 }];
    const night = ended('24 hours', 100, many);
    expect(findings({ hour: ended('hour', 30, many), day: night })[0]).to.include({
      look: 'bad',
      href: `${HOME}/hour`,
    });
    expect(findings({ hour: ended('hour', 30, one), day: night })[0]).to.include({
      look: 'bad',
      href: `${HOME}/24 hours`,
    });
    expect(findings({ hour: ended('hour', 30, one), day: ended('24 hours', 900, many) })[0]).to.include({
      look: 'quiet',
      href: `${HOME}/hour`,
    });
    expect(findings({ day: ended('24 hours', 900, many) })[0].text).to.equal(
      '40 of 940 jobs failed in the last 24 hours, all with SourceNotFound.',
    );
  });

  it('separates failures of callers from those of the service (Q-O9)', () => {
    function note(caller: number, operator: number): string {
      const hour = ended('hour', 9, [{ reason: 'X', count: caller + operator }]);
      return findings({ hour: { ...hour, faults: { caller, operator } } })[0].note;
    }
    expect(note(3, 0)).to.equal('The cause is in the requests, their sources or buckets.');
    expect(note(0, 3)).to.equal('The cause is in zipjobs, its cluster or the store.');
    expect(note(2, 1)).to.equal(
      '2 because of requests, sources or buckets, 1 because of zipjobs, its cluster or the store.',
    );
  });

  it('names the job that has waited for more than half an hour, unless a user has suspended it (Q-U2)', () => {
    function current(waitedMs: number, reason = 'SlotsTaken'): HealthFacts['current'] {
      return { phases: [], paused: 0, oldestWaiting: { name: 'zip-1', key: 'a.zip', reason, waitedMs } };
    }
    expect(findings({ current: current(2_700_000) })).to.deep.equal([
      {
        look: 'warn',
        text: 'a.zip has waited for 45 min.',
        note: 'A limit on running jobs is reached.',
        href: `${HOME}/jobs/zip-1`,
      },
    ]);
    for (const one of [current(1_800_000), current(9e9, 'Suspended')])
      expect(findings({ current: one })[0].look).to.equal('good');
  });

  it('says that all jobs are paused, instead of how long one has waited (Q-U2)', () => {
    const oldestWaiting = { name: 'zip-1', key: 'a.zip', reason: 'Paused', waitedMs: 9e9 };
    expect(texts({ current: { phases: [], paused: 2, oldestWaiting } })).to.deep.equal([
      ['warn', 'All jobs are paused: 2 jobs wait.'],
    ]);
  });

  it('says that the project is full, or almost (Q-U2)', () => {
    const status = { class: { name: 'default', limits: { storedJobs: 1_000 } } };
    function limits(storedJobs: number): HealthFacts['limits'] {
      return limitMeters({ ...aProject('team-a'), status }, { activeJobs: 0, storedJobs });
    }
    expect(findings({ limits: limits(949) })[0].look).to.equal('good');
    expect(texts({ limits: limits(950) })).to.deep.equal([
      ['warn', 'The project is almost full: it stores 950 of 1,000 jobs.'],
    ]);
    expect(texts({ limits: limits(1_000) })).to.deep.equal([
      ['bad', 'The project is full: it stores 1,000 of 1,000 jobs.'],
    ]);
  });

  it('says that the webhook is disabled or fails, but not if a user has disabled it (Q-U2)', () => {
    const url = 'https://hooks.example.com/x';
    function project(state: object, enabled = true): ZipProject {
      const webhook = { endpoint: endpointDigest(url), ...state };
      return { ...aProject('team-a', { webhook: { url, enabled } }), status: { webhook } };
    }
    expect(texts({ project: project({ state: 'Disabled', reason: 'Gone' }) })).to.deep.equal([
      ['bad', 'The webhook is disabled because its deliveries failed.'],
    ]);
    expect(texts({ project: project({ failingSince: AT }) })).to.deep.equal([
      ['warn', 'Every webhook delivery since 2026-01-02 03:04:05 UTC failed.'],
    ]);
    const audit = { name: 'audit', endpoint: endpointDigest(url), state: 'Disabled' } as const;
    const several = project({ endpoints: [audit] });
    const webhook = { ...several.spec.webhook, endpoints: [{ name: 'audit', url }] };
    expect(texts({ project: { ...several, spec: { webhook } } })).to.deep.equal([
      ['bad', 'The webhook endpoint audit is disabled because its deliveries failed.'],
    ]);
    expect(findings({ project: { ...several, spec: { webhook } } })[0]).to.include({
      href: '/projects/team-a/webhook/endpoints/audit',
    });
    for (const one of [project({}), project({ state: 'Disabled' }, false)])
      expect(findings({ project: one })[0].look).to.equal('good');
  });

  it('does not call a project good that the controller has not reported (Q-U2)', () => {
    const project = { ...aProject('team-a'), status: { conditions: [condition('Ready', 'Unknown')] } };
    expect(findings({ project })[0]).to.include({ look: 'warn', text: 'The project is not ready.' });
  });

  it('says what the controller reports of the project, the worst first (Q-U2)', () => {
    const project = {
      ...aProject('team-a'),
      status: { conditions: [condition('Ready', 'False'), condition('ObjectsRefused', 'False')] },
    };
    const one = [{ reason: 'SourceNotFound', count: 1 }];
    expect(
      findings({ project, isAway: true, hour: ended('hour', 9, one) }).map(({ text, note }) => [text, note]),
    ).to.deep.equal([
      ['The project is not ready.', 'Says why.'],
      [
        'The history is incomplete: its database does not respond.',
        'Jobs that have left the cluster are missing.',
      ],
      [
        '1 of 10 jobs failed in the last hour, with SourceNotFound.',
        'The cause is in the requests, their sources or buckets.',
      ],
    ]);
  });

  it('says that the history or the project is being deleted (Q-U2)', () => {
    const historyPurge = { nonce: 'a', startedAt: AT, records: 0 };
    expect(texts({ project: { ...aProject('team-a'), status: { historyPurge } } })).to.deep.equal([
      ['quiet', 'The history of this project is being deleted.'],
    ]);
    const plain = aProject('team-a');
    const project = { ...plain, metadata: { ...plain.metadata, deletionTimestamp: AT } };
    expect(texts({ project })).to.deep.equal([['warn', 'The project is being deleted.']]);
  });
});
