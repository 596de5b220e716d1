/** What objects that look like ours do to jobs of others, through the real caches of a controller. */
import { expect } from 'chai';
import { recoveryJobName } from '#controller/zip-job/manifest/job-manifest.ts';
import { GROUP_VERSION, LABELS } from '#crds/api-group.ts';
import { EXIT_CODES } from '#crds/exit-codes.ts';
import type { ObjectMeta } from '#crds/object-meta.ts';
import type { Job, Pod } from '#runtime/kube/resources.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { aJob, aPod, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { ended } from '#test/support/builders/pod-statuses.ts';
import { anUpload, recoveringStatus, running } from '#test/support/builders/zip-job-statuses.ts';
import { observeCached, withCachedCluster } from '#test/support/worlds/cached-cluster.ts';

const ATTACKER = 'mallory';
const KEY = `${NAMESPACE}/${NAME}`;
const MANAGED = { [LABELS.instance]: NAME, [LABELS.managedBy]: 'zipjobs-controller' };

/** A pod or Job of somebody else. */
function foreign<T extends Job | Pod>(one: T): T {
  return {
    ...one,
    spec:
      'template' in (one.spec ?? {}) ? { template: { spec: { containers: [] } } } : { nodeName: 'node-1' },
  };
}

function uidsOf(pods: readonly Pod[]): readonly (string | undefined)[] {
  return pods.map(({ metadata }) => metadata.uid);
}

describe('objects of others that look like ours', () => {
  const failed = ended({ exitCode: EXIT_CODES.sourceFailed, message: 'forged' });
  const job = aJob({ metadata: { labels: MANAGED } });
  const own = aPod('own', { metadata: { labels: MANAGED } });
  function copies(metadata: Partial<ObjectMeta>) {
    return aPod('forged', { metadata: { ...metadata, uid: 'uid-forged', labels: MANAGED }, status: failed });
  }

  for (const namespace of [ATTACKER, NAMESPACE])
    it(`are no pods of a job of another, from ${namespace === NAMESPACE ? 'its own' : 'another'} namespace (N19)`, async () => {
      const zipJobs = [aZipJob({ status: running('own') })];
      const pods = [own, foreign(copies({ namespace }))];
      await withCachedCluster({ zipJobs, jobs: [job], pods }, async ({ parts }) => {
        expect(uidsOf((await observeCached(parts, KEY)).pods)).to.deep.equal(['uid-own']);
      });
    });

  it('are no pods of a job of another, even if they are zippers of another project (N19)', async () => {
    const zipJobs = [aZipJob({ status: running('own') })];
    await withCachedCluster(
      { zipJobs, jobs: [job], pods: [own, copies({ namespace: ATTACKER })] },
      async ({ parts }) => {
        expect(uidsOf((await observeCached(parts, KEY)).pods)).to.deep.equal(['uid-own']);
      },
    );
  });

  for (const [what, change] of [
    ['does not control it', { controller: false }],
    ['has another name', { name: 'another' }],
    ['has another uid', { uid: 'uid-another' }],
    ['is of another kind', { kind: 'ReplicaSet' }],
    ['is of another API group', { apiVersion: 'example.com/v1' }],
  ] as const)
    it(`are not of a Job that ${what} (N19)`, async () => {
      const ownerReferences = [
        { apiVersion: 'batch/v1', kind: 'Job', name: NAME, uid: 'uid-job', controller: true, ...change },
      ];
      const pods = [own, copies({ ownerReferences })];
      await withCachedCluster(
        { zipJobs: [aZipJob({ status: running('own') })], jobs: [job], pods },
        async ({ parts }) => {
          expect(uidsOf((await observeCached(parts, KEY)).pods)).to.deep.equal(['uid-own']);
        },
      );
    });

  it('take no slot (N20)', async () => {
    const names = Array.from({ length: 3 }, (_, n) => `zip-${n}`);
    const zipJobs = names.map((name) =>
      aZipJob({ metadata: { name, namespace: ATTACKER, uid: `uid-${name}` } }),
    );
    const jobs = names.map((name) =>
      foreign(
        aJob({
          metadata: {
            name,
            namespace: ATTACKER,
            labels: { ...MANAGED, [LABELS.instance]: name },
            ownerReferences: [
              { apiVersion: GROUP_VERSION, kind: 'ZipJob', name, uid: `uid-${name}`, controller: true },
            ],
          },
        }),
      ),
    );
    await withCachedCluster({ zipJobs, jobs }, async ({ parts: { ledger } }) => {
      expect(zipJobs.map((zipJob) => ledger.position(zipJob).state)).to.not.include('running');
    });
  });

  it('do not count as ended pods (N21)', async () => {
    const finished = aZipJob({ status: { phase: 'Succeeded', finishedAt: '2026-05-04T11:00:00Z' } });
    const count = aConfig().maxFinishedPods + 1;
    const pods = Array.from({ length: count }, (_, n) =>
      foreign(aPod(`forged-${n}`, { metadata: { namespace: ATTACKER, labels: MANAGED }, status: failed })),
    );
    await withCachedCluster(
      {
        zipJobs: [finished],
        pods: [aPod('own', { metadata: { labels: MANAGED }, status: failed }), ...pods],
      },
      async ({ parts: { watches } }) => {
        expect([...watches.caches.pods.keys()]).to.deep.equal([`${NAMESPACE}/own`]);
      },
    );
  });

  describe('in place of a recovery', () => {
    const lost = aZipJob({ status: recoveringStatus(anUpload('committing')) });
    const name = recoveryJobName(NAME, 1);
    const recovery = aJob({ metadata: { name, uid: 'uid-recovery', labels: MANAGED } });
    const recovered = { outcome: 'published', bytes: 1, etag: 'x' } as const;
    const message = { contractVersion: 1, mode: 'recover', recovered } as const;
    const response = aPod('recovery', {
      metadata: {
        labels: MANAGED,
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name, uid: 'uid-recovery', controller: true },
        ],
      },
      status: ended({ exitCode: 0, message }),
    });

    it('are recognized if the controller made them', async () => {
      const cluster = { zipJobs: [lost], jobs: [job, recovery], pods: [response] };
      await withCachedCluster(cluster, async ({ parts }) => {
        expect(uidsOf((await observeCached(parts, KEY)).recovery?.pods ?? [])).to.deep.equal([
          'uid-recovery',
        ]);
      });
    });

    it('report nothing with another service account (N34)', async () => {
      const cluster = { zipJobs: [lost], jobs: [job, foreign(recovery)], pods: [foreign(response)] };
      await withCachedCluster(cluster, async ({ parts }) => {
        expect((await observeCached(parts, KEY, cluster)).recovery).to.equal(undefined);
      });
    });

    it('report nothing in a live read with the label of the recovery Job (N34)', async () => {
      const forged = foreign({ ...response, metadata: { ...response.metadata, uid: 'uid-forged' } });
      const conditions = [{ type: 'Complete', status: 'True' }];
      const cluster = { zipJobs: [lost], jobs: [job, { ...recovery, status: { conditions } }], pods: [] };
      await withCachedCluster(cluster, async ({ parts }) => {
        expect((await observeCached(parts, KEY, { pods: [forged] })).recovery?.pods).to.deep.equal([]);
      });
    });
  });
});
