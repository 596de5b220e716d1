import { expect } from 'chai';
import { ANNOTATIONS, bucketSecretName, GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import type { History } from '#dashboard/history/history-reader.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const DELETE = `${HOME}/settings/delete`;
const PURGE = `${HOME}/settings/purge-history`;
const OBJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;

function aToken(name: string): ZipToken {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipToken',
    metadata: { namespace: TEAM, name },
    spec: { sha256: 'x', masked: 'zj_…', permissions: ['create'] },
  };
}

describe('the deletion of a project', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
    project.putToken(aToken('one'));
    project.putToken(aToken('two'));
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
    for (const phase of ['Running', 'Succeeded', 'Failed'] as const)
      project.server.zipJobs.put(
        aZipJob({ metadata: { namespace: TEAM, name: phase.toLowerCase() }, status: { phase } }),
      );
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function left(): readonly unknown[] {
    return [
      project.objects.get(OBJECT)?.['kind'],
      project.objects.get(`${COLLECTIONS.tokens}/one`)?.['kind'],
      project.objects.get(`${COLLECTIONS.tokens}/two`)?.['kind'],
      project.objects.get(`${COLLECTIONS.buckets}/s3-reports`)?.['kind'],
    ];
  }
  async function flash(): Promise<string> {
    return (await project.ada.get('/projects')).text;
  }

  it('lists what is deleted and what stays', async () => {
    const { status, text } = await project.ada.get(DELETE);
    expect(status).to.equal(200);
    expect(text).to.contain('1 unfinished job is cancelled').and.contain('the 2 finished jobs');
    expect(text).to.contain('Also delete 2 access tokens').and.contain('Also remove 1 bucket');
    expect(text).to.contain('Archives and other objects').and.contain(`<code>${TEAM}</code>`);
    expect(text).to.not.contain('history');
  });

  it('needs the namespace, typed by the user', async () => {
    for (const confirm of ['', 'team', `${TEAM}-b`]) {
      const { status, text } = await project.send(DELETE, { confirm });
      expect(status, confirm).to.equal(422);
      expect(text, confirm).to.contain(`id="confirm-error">Type ${TEAM} to delete the project`);
    }
    expect(left()).to.deep.equal(['ZipProject', 'ZipToken', 'ZipToken', 'ZipBucket']);
  });

  it('deletes only the project, unless more is chosen', async () => {
    const { status, headers } = await project.send(DELETE, { confirm: TEAM });
    expect([status, headers.get('location')]).to.deep.equal([303, '/projects']);
    expect(left()).to.deep.equal([undefined, 'ZipToken', 'ZipToken', 'ZipBucket']);
    expect(await flash()).to.contain(`Deleting project ${TEAM}. Its jobs are being cancelled.`);
  });

  it('deletes tokens and buckets too, after the project', async () => {
    await project.send(DELETE, { confirm: TEAM, tokens: 'yes', buckets: 'yes' });
    expect(left()).to.deep.equal([undefined, undefined, undefined, undefined]);
    const deleted = project.server.requests.filter(({ method }) => method === 'DELETE');
    expect(deleted[0]?.path).to.equal(OBJECT);
    expect(await flash()).to.contain('with 2 access tokens and 1 bucket');
  });

  describe('with its buckets', () => {
    const SECRET = `${COLLECTIONS.secrets}/${bucketSecretName('s3-reports')}`;
    /** As the docs show: without an owner. */
    function putSecret(): void {
      project.objects.put(COLLECTIONS.secrets, {
        metadata: { namespace: TEAM, name: bucketSecretName('s3-reports') },
      });
    }

    it('deletes their credentials too, also of a Secret without an owner (UI14)', async () => {
      putSecret();
      await project.send(DELETE, { confirm: TEAM, buckets: 'yes' });
      expect([left()[3], project.objects.get(SECRET)]).to.deep.equal([undefined, undefined]);
      expect(await flash())
        .to.contain('with 1 bucket')
        .and.not.contain('Not deleted');
    });

    it('leaves credentials to the garbage collector while jobs need them for their cleanup (UI14)', async () => {
      putSecret();
      const path = `${COLLECTIONS.buckets}/s3-reports`;
      // A finalizer keeps the bucket.
      project.server.respondWith((request) =>
        request.method === 'DELETE' && request.path === path ? {} : project.objects.respond(request),
      );
      await project.send(DELETE, { confirm: TEAM, buckets: 'yes' });
      const owners = RESOURCES.secrets.decode(project.objects.get(SECRET)).metadata.ownerReferences;
      const { uid } = RESOURCES.zipBuckets.decode(project.objects.get(path)).metadata;
      expect(owners?.map((owner) => [owner.kind, owner.uid])).to.deep.equal([['ZipBucket', uid]]);
    });

    it('reports credentials that could not be deleted, and counts the bucket (UI14)', async () => {
      putSecret();
      project.objects.fail(
        new KubeError('User "ada" cannot delete', {
          user: 'ada',
          attempt: `DELETE ${SECRET}`,
          code: 'Forbidden',
          httpStatus: 403,
        }),
        ({ method, path }) => method === 'DELETE' && path === SECRET,
      );
      await project.send(DELETE, { confirm: TEAM, buckets: 'yes' });
      expect(await flash())
        .to.contain('with 1 bucket')
        .and.contain('Not deleted: User &quot;ada&quot; cannot delete secrets');
    });

    it('is not offered to a user who may not delete Secrets (UI14)', async () => {
      project.server.tokens.set('limited', {
        name: 'lou',
        allowed: [
          'get zipprojects',
          'delete zipprojects',
          'list zipbuckets',
          'get zipbuckets',
          'delete zipbuckets',
        ].map((right) => `${right} ${TEAM}`),
      });
      const lou = project.server.visit();
      await lou.signIn('limited');
      expect((await lou.get(DELETE)).text).to.contain('You cannot delete the buckets');
    });
  });

  it('deletes nothing else if the user may not delete the project', async () => {
    project.objects.fail(
      new KubeError('User "ada" cannot delete', {
        user: 'ada',
        attempt: `DELETE ${OBJECT}`,
        code: 'Forbidden',
        httpStatus: 403,
      }),
      ({ method, path }) => method === 'DELETE' && path === OBJECT,
    );
    const { status } = await project.send(DELETE, { confirm: TEAM, tokens: 'yes', buckets: 'yes' });
    expect(status).to.equal(422);
    expect(left()).to.deep.equal(['ZipProject', 'ZipToken', 'ZipToken', 'ZipBucket']);
  });

  it('reports what could not be deleted', async () => {
    const path = `${COLLECTIONS.tokens}/one`;
    project.objects.fail(
      new KubeError('User "ada" cannot delete', {
        user: 'ada',
        attempt: `DELETE ${path}`,
        code: 'Forbidden',
        httpStatus: 403,
      }),
      (request) => request.method === 'DELETE' && request.path === path,
    );
    await project.send(DELETE, { confirm: TEAM, tokens: 'yes' });
    expect(left()).to.deep.equal([undefined, 'ZipToken', undefined, 'ZipBucket']);
    expect(await flash())
      .to.contain('with 1 access token.')
      .and.contain('Not deleted: User &quot;ada&quot; cannot delete ziptokens.zipjobs.dev');
  });

  it('says what the user may not delete', async () => {
    project.server.tokens.set('limited', {
      name: 'lou',
      allowed: ['get zipprojects', 'delete zipprojects'].map((right) => `${right} ${TEAM}`),
    });
    const lou = project.server.visit();
    await lou.signIn('limited');
    const { text } = await lou.get(DELETE);
    expect(text)
      .to.contain('You cannot delete the access tokens')
      .and.contain('You cannot delete the buckets');
    expect(text).to.not.contain('name="tokens"').and.not.contain('name="buckets"');
  });

  it('has no page for the history without a database', async () => {
    expect((await project.ada.get(PURGE)).status).to.equal(404);
  });
});

describe('the deletion of the history of a project', () => {
  let project: DashboardProject;
  function nothing(): Promise<never> {
    return Promise.reject(new Error('no query'));
  }
  const history = { jobs: nothing, readJob: nothing } as unknown as History;
  beforeEach(async () => {
    project = await startDashboardProject({}, { history });
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function nonce(): unknown {
    const metadata = project.objects.get(OBJECT)?.['metadata'];
    const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
    return isRecord(annotations) ? annotations[ANNOTATIONS.purgeHistory] : undefined;
  }

  it('needs the namespace, and then asks the controller', async () => {
    expect((await project.send(PURGE, { confirm: 'other' })).status).to.equal(422);
    expect(nonce()).to.equal(undefined);
    const { headers } = await project.send(PURGE, { confirm: TEAM });
    expect(headers.get('location')).to.equal(`${HOME}/settings#retention`);
    expect(nonce()).to.be.a('string');
  });

  it('shows its progress and its end on the settings page', async () => {
    const startedAt = '2026-01-02T03:04:05Z';
    const purge = { nonce: 'n', startedAt, records: 1_200 };
    project.putProject({}, { status: { historyPurge: purge } });
    expect((await project.ada.get(`${HOME}/settings`)).text)
      .to.contain('Deleting the history')
      .and.contain('1,200 records so far');
    const condition = {
      type: 'HistoryPurged',
      status: 'True',
      reason: 'Purged',
      message: 'm',
      lastTransitionTime: startedAt,
    } as const;
    const done = { ...purge, finishedAt: '2026-01-02T03:05:05Z' };
    project.putProject({}, { status: { historyPurge: done, conditions: [condition] } });
    expect((await project.ada.get(`${HOME}/settings`)).text).to.contain('History deleted');
    project.putProject(
      {},
      { status: { historyPurge: done, conditions: [{ ...condition, status: 'False' }] } },
    );
    expect((await project.ada.get(`${HOME}/settings`)).text).to.contain('History not deleted');
  });
});
