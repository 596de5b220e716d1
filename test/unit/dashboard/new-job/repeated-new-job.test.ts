import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ZipJob } from '#crds/zip-job.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import { aBucket } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

const PATH = `${HOME}/new-job`;
const FIELDS = {
  bucket: 's3/reports',
  key: 'a.zip',
  urls: 'https://files.example.com/one.pdf?sig=a',
} as const;

function textOf(secret: unknown): string {
  const data = isRecord(secret) ? secret['data'] : undefined;
  const [chunk] = isRecord(data) ? Object.values(data) : [];
  return gunzipSync(Buffer.from(String(chunk), 'base64')).toString();
}

const LOST = new KubeError('the connection to the API server failed (ECONNRESET)', {
  attempt: 'POST /x',
  code: 'Unreachable',
});

function cannot(verb: string, resource: string): KubeError {
  return new KubeError(`${resource} is forbidden: User "ada" cannot ${verb} resource "${resource}"`, {
    user: 'ada',
    attempt: 'GET /x',
    code: 'Forbidden',
    httpStatus: 403,
  });
}

describe('the form of a new job that is sent again', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
    project.putBucket(aBucket(TEAM, 's3', 'reports'));
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function created(collection: string) {
    return project.server.requests.filter(({ method, path }) => method === 'POST' && path === collection);
  }
  const uuid = '6f1c0f4e-0000-4000-8000-000000000001';
  const name = `zip-${uuid}`;
  const secret = `${COLLECTIONS.secrets}/${name}-files-0`;
  function send(fields: Readonly<Record<string, string>> = {}) {
    return project.send(PATH, { ...FIELDS, uuid, ...fields });
  }
  /** The API server does it, but its response does not arrive. */
  function loseResponse(collection: string): void {
    let isLost = false;
    project.server.respondWith((request) => {
      const response = project.objects.respond(request);
      if (isLost || request.method !== 'POST' || request.path !== collection) return response;
      isLost = true;
      throw LOST;
    });
  }
  function ownerOf(): unknown {
    return RESOURCES.secrets.decode(project.objects.get(secret)).metadata.ownerReferences?.[0]?.uid;
  }
  function uidOf(): unknown {
    return RESOURCES.zipJobs.decode(project.objects.get(`${COLLECTIONS.zipJobs}/${name}`)).metadata.uid;
  }

  it('stores the file list of a job whose creation got no response (UI8)', async () => {
    loseResponse(COLLECTIONS.zipJobs);
    expect((await send()).status).to.equal(503);
    expect(project.objects.get(secret)).to.equal(undefined);
    const again = await send();
    expect(again.headers.get('location')).to.equal(`${HOME}/jobs/${name}`);
    expect(textOf(project.objects.get(secret))).to.contain('one.pdf?sig=a');
    expect(ownerOf()).to.equal(uidOf());
    expect(created(COLLECTIONS.zipJobs)).to.have.lengthOf(2);
  });

  it('stores no list of other files, and none for a finished job (UI8)', async () => {
    loseResponse(COLLECTIONS.zipJobs);
    await send();
    await send({ urls: 'https://files.example.com/two.pdf' });
    expect(project.objects.get(secret)).to.equal(undefined);
    const path = `${COLLECTIONS.zipJobs}/${name}`;
    const job = RESOURCES.zipJobs.decode(project.objects.get(path));
    const failed: ZipJob = { ...job, status: { phase: 'Failed' } };
    project.objects.put(COLLECTIONS.zipJobs, failed);
    expect((await send()).status).to.equal(303);
    expect(project.objects.get(secret)).to.equal(undefined);
  });

  it('keeps the job that the second of two requests has completed, without the right to read Secrets (UI8)', async () => {
    const completed = Promise.withResolvers<void>();
    let lists = 0;
    project.server.respondWith(async (request) => {
      if (request.path.startsWith(COLLECTIONS.secrets)) {
        if (request.method === 'GET') throw cannot('get', 'secrets');
        lists += 1;
        if (lists === 1) await completed.promise;
      }
      return project.objects.respond(request);
    });
    const first = send();
    await until('the first request stores its list', () => lists === 1);
    const second = await send();
    completed.resolve();
    for (const { status, headers } of [second, await first])
      expect([status, headers.get('location')]).to.deep.equal([303, `${HOME}/jobs/${name}`]);
    expect(project.objects.get(`${COLLECTIONS.zipJobs}/${name}`)).to.not.equal(undefined);
    expect(ownerOf()).to.equal(uidOf());
  });

  it('completes the job that a refused form has left without its list (UI8)', async () => {
    loseResponse(COLLECTIONS.zipJobs);
    await send();
    let isRefused = true;
    project.objects.fail(
      new KubeError('exceeded quota', { attempt: 'POST /x', code: 'QuotaExceeded', httpStatus: 403 }),
      ({ method, path }) => isRefused && method === 'POST' && path === COLLECTIONS.secrets,
    );
    const refused = await send();
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('Send it again');
    isRefused = false;
    const again = await project.ada.post(PATH, unchangedForm(refused.text, PATH));
    expect(again.headers.get('location')).to.equal(`${HOME}/jobs/${name}`);
    expect(ownerOf()).to.equal(uidOf());
  });

  it('does not complete a job that is being deleted, and has another one then (UI8)', async () => {
    await send();
    const job = RESOURCES.zipJobs.decode(project.objects.get(`${COLLECTIONS.zipJobs}/${name}`));
    const deletionTimestamp = '2026-01-02T03:04:05Z';
    project.objects.put(COLLECTIONS.zipJobs, { ...job, metadata: { ...job.metadata, deletionTimestamp } });
    const refused = await send();
    expect(refused.status).to.equal(422);
    expect(refused.text).to.contain('is being deleted');
    const again = await project.ada.post(PATH, unchangedForm(refused.text, PATH));
    expect([again.status, again.headers.get('location')]).to.not.include(`${HOME}/jobs/${name}`);
    expect(again.status).to.equal(303);
  });

  it('has another job if none was created (UI8)', async () => {
    const refused = await send({ key: '' });
    expect(unchangedForm(refused.text, PATH).get('uuid')).to.not.equal(uuid);
  });

  it('does not take the list of a deleted job for its own (UI35)', async () => {
    project.objects.put(COLLECTIONS.secrets, {
      metadata: {
        namespace: TEAM,
        name: `${name}-files-0`,
        ownerReferences: [{ apiVersion: 'v1', kind: 'ZipJob', name, uid: 'of-a-deleted-job' }],
      },
    });
    const { status, text } = await send();
    expect(status).to.equal(422);
    expect(text).to.contain('belongs to another object').and.contain('No job was created');
    expect(project.objects.get(`${COLLECTIONS.zipJobs}/${name}`)).to.equal(undefined);
  });
});
