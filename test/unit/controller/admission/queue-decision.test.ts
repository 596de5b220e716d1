import { expect } from 'chai';
import { mayFreeKey, queueDecision } from '#controller/admission/queue-decision.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';

describe('queueDecision', () => {
  const zipJob = aZipJob({ metadata: { name: 'b', creationTimestamp: ago(50) } });
  const other = (name: string, seconds: number, more: object = {}) =>
    aZipJob({ metadata: { name, creationTimestamp: ago(seconds) }, ...more });
  const cases = [
    { name: 'without conflicting jobs', conflictingJobs: [], want: { kind: 'go' } },
    { name: 'behind an older job', conflictingJobs: [other('a', 60)], want: { kind: 'wait', for: 'a' } },
    { name: 'before a younger job', conflictingJobs: [other('a', 40)], want: { kind: 'go' } },
    {
      name: 'behind a younger job that is already running',
      conflictingJobs: [other('c', 40, { status: running('p') })],
      want: { kind: 'wait', for: 'c' },
    },
    {
      name: 'between jobs of the same second, by time of acceptance',
      conflictingJobs: [
        aZipJob({
          metadata: {
            name: 'c',
            creationTimestamp: ago(50),
            annotations: { [ANNOTATIONS.acceptedAt]: ago(61) },
          },
        }),
      ],
      want: { kind: 'wait', for: 'c' },
    },
    {
      name: 'between jobs of the same second and acceptance, by name',
      conflictingJobs: [other('a', 50), other('c', 50)],
      want: { kind: 'wait', for: 'a' },
    },
    {
      name: 'before a suspended older job',
      conflictingJobs: [other('a', 60, { spec: { suspend: true } })],
      want: { kind: 'go' },
    },
  ];
  for (const { name, conflictingJobs, want } of cases)
    it(`returns '${want.kind}' ${name}`, () => {
      expect(queueDecision({ zipJob, conflictingJobs })).to.deep.equal(want);
    });
  it('returns suspended for a suspended job', () => {
    expect(
      queueDecision({ zipJob: aZipJob({ spec: { suspend: true } }), conflictingJobs: [] }).kind,
    ).to.equal('suspended');
  });
});

describe('mayFreeKey', () => {
  const zipJob = aZipJob();
  const set = (object: ZipJob) => ({ kind: 'set', key: 'a/b', object, before: zipJob }) as const;
  it('reports a job that is deleted, finished, or suspended before it started', () => {
    expect(mayFreeKey({ kind: 'deleted', key: 'a/b', before: zipJob })).to.equal(true);
    expect(mayFreeKey(set(aZipJob({ status: finishedAs('Failed') })))).to.equal(true);
    expect(mayFreeKey(set(aZipJob({ spec: { suspend: true } })))).to.equal(true);
  });

  it('does not report a job that waits, runs, or was suspended after it started', () => {
    expect(mayFreeKey(set(zipJob))).to.equal(false);
    expect(mayFreeKey(set(aZipJob({ status: running('p') })))).to.equal(false);
    expect(mayFreeKey(set(aZipJob({ status: running('p'), spec: { suspend: true } })))).to.equal(false);
  });
});
