import { expect } from 'chai';
import type { Event } from '#runtime/kube/resources.ts';
import { ago, aJob, aPod, aZipJob, NAME, NAMESPACE, NOW } from '#test/support/builders/objects.ts';
import type { NamespaceState } from '#test/support/failed-tests/cluster-state.ts';
import { describeNamespace } from '#test/support/failed-tests/describe-namespace.ts';

const window = { fileFrom: NOW.getTime() - 60_000, from: NOW.getTime() - 60_000, to: NOW.getTime() };

const anEvent = (kind: string, name: string, change: Partial<Event> = {}): Event => ({
  metadata: { name: `${name}.1`, namespace: NAMESPACE },
  involvedObject: { kind, name },
  type: 'Warning',
  reason: 'Trouble',
  message: `about ${name}`,
  lastTimestamp: ago(5),
  ...change,
});

const FAILED = aZipJob({
  status: {
    phase: 'Failed',
    reason: 'SourceNotFound',
    message: 'file 2: 404',
    startedAt: ago(20),
    finishedAt: ago(10),
    job: { name: NAME, uid: 'uid-job', podName: `${NAME}-a`, podUid: 'uid-a', node: 'node-1' },
    attempts: [
      { n: 1, podUid: 'uid-a', exitCode: 12, class: 'permanent', reason: 'SourceNotFound', message: 'gone' },
    ],
    failure: {
      code: 'SourceNotFound',
      fileIndex: 2,
      httpStatus: 404,
      retriable: false,
      message: 'file 2: 404',
    },
    webhook: { state: 'Pending', attempts: 3, lastStatus: 500 },
    conditions: [
      { type: 'Failed', status: 'True', reason: 'SourceNotFound', message: '', lastTransitionTime: ago(10) },
    ],
  },
});

const state = (change: Partial<NamespaceState> = {}): NamespaceState => ({
  name: NAMESPACE,
  zipJobs: [FAILED],
  events: [],
  jobs: [],
  pods: [],
  ...change,
});

describe('describeNamespace', () => {
  it('describes a failed ZipJob with its times, pod, attempts, failure, webhook and conditions', () => {
    const { lines, zipJobs } = describeNamespace(state(), window, 50);
    expect(zipJobs).to.deep.equal([NAME]);
    expect(lines).to.deep.equal([
      `Namespace ${NAMESPACE} (ZipJobs shown: 1)`,
      `  ZipJob ${NAME}: Failed, SourceNotFound: file 2: 404`,
      '    created 11:59:00, started 11:59:40, finished 11:59:50',
      `    Job ${NAME}, active pod ${NAME}-a uid-a, node node-1`,
      '    attempt 1: pod uid-a, exit code 12, permanent, SourceNotFound: gone',
      '    failure: SourceNotFound, file 2, HTTP 404, not retriable',
      '    webhook Pending, deliveries 3, last status 500',
      '    conditions: Failed=True (SourceNotFound)',
    ]);
  });

  it('describes a ZipJob that the controller has not processed, and one that is being deleted', () => {
    const zipJob = aZipJob({ metadata: { deletionTimestamp: ago(1), finalizers: ['a/b'] } });
    const { lines } = describeNamespace(state({ zipJobs: [zipJob] }), window, 50);
    expect(lines.slice(1)).to.deep.equal([
      `  ZipJob ${NAME}: no phase yet`,
      '    created 11:59:00, being deleted since 11:59:59, finalizers a/b',
      '    no Job yet',
    ]);
  });

  it('adds the Jobs and pods of these ZipJobs with their results', () => {
    const terminated = { exitCode: 137, reason: 'Error', message: 'killed' };
    const container = { name: 'zipper', image: '', imageID: '', ready: false, restartCount: 1 };
    const pods = [
      aPod(`${NAME}-a`, {
        status: { phase: 'Failed', containerStatuses: [{ ...container, state: { terminated } }] },
      }),
      aPod('another-pod'),
    ];
    const jobs = [
      aJob({
        status: { failed: 1, conditions: [{ type: 'Failed', status: 'True', reason: 'PodFailurePolicy' }] },
      }),
    ];
    const { lines } = describeNamespace(state({ jobs, pods }), window, 50);
    expect(lines.slice(-2)).to.deep.equal([
      `  Job ${NAME}: active 0, succeeded 0, failed 1, Failed (PodFailurePolicy)`,
      `  Pod ${NAME}-a uid-${NAME}-a: Failed, zipper restarts 1, exit code 137, Error: killed`,
    ]);
  });

  it('adds the Events of these ZipJobs, their pods, the project and its buckets in chronological order', () => {
    const events = [
      anEvent('ZipJob', NAME, { count: 3 }),
      anEvent('Pod', `${NAME}-a`, { lastTimestamp: ago(9), type: 'Normal' }),
      anEvent('ZipBucket', 's3-archive', { lastTimestamp: ago(7) }),
      anEvent('ZipJob', 'zip-of-another-test'),
    ];
    const { lines } = describeNamespace(state({ events }), window, 50);
    expect(lines.slice(lines.indexOf('  Events') + 1)).to.deep.equal([
      `    11:59:51 Normal Trouble Pod/${NAME}-a: about ${NAME}-a`,
      '    11:59:53 Warning Trouble ZipBucket/s3-archive: about s3-archive',
      `    11:59:55 Warning Trouble ZipJob/${NAME} (3 times): about ${NAME}`,
    ]);
  });

  it('counts the omitted ZipJobs', () => {
    const others = Array.from({ length: 9 }, (_, n) =>
      aZipJob({ metadata: { name: `zip-${n}` }, status: { phase: n < 2 ? 'Succeeded' : 'Queued' } }),
    );
    const [heading] = describeNamespace(state({ zipJobs: [...others, FAILED] }), window, 50).lines;
    expect(heading).to.equal(
      `Namespace ${NAMESPACE} (ZipJobs shown: 4, others: 2 Succeeded, 3 Queued, 1 Failed)`,
    );
  });

  it('limits its lines and counts the omitted ones', () => {
    const { lines } = describeNamespace(state(), window, 4);
    expect(lines).to.have.length(4);
    expect(lines.at(-1)).to.equal('  ... 5 more lines');
  });
});
