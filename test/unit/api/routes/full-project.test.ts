import { expect } from 'chai';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { refusedByWebhook } from '#test/support/builders/fake-objects.ts';
import { aNamespace } from '#test/support/builders/project-classes.ts';
import { A_REQUEST, type ApiServer, aProject, startApiServer } from '#test/support/servers/api-server.ts';
import { until } from '#test/support/until.ts';

describe('POST /zips in a full project', () => {
  let api: ApiServer;
  beforeEach(async () => {
    api = await startApiServer();
  });
  afterEach(() => api[Symbol.asyncDispose]());

  it('returns 429 while the project stores as many jobs as it may, and 201 after one is deleted (N2)', async () => {
    api.projects.put(aProject('team-a', { limits: { storedJobs: 3 } }));
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await api.post(A_REQUEST)).status);
    expect(statuses).to.deep.equal([201, 201, 201, 429, 429]);
    const full = await api.post(A_REQUEST);
    expect(full.body.error).to.include({ type: 'rate_limit_error', code: 'stored_jobs_full', param: null });
    expect(Number(full.headers.get('retry-after'))).to.be.at.least(1);
    // Another process has the setting that decides when finished jobs are deleted.
    expect(full.body.error?.message).to.not.match(/day|hour|minute/);
    const [oldest] = api.jobs.all();
    api.jobs.remove('team-a', oldest?.metadata.name ?? '');
    expect((await api.post(A_REQUEST)).status).to.equal(201);
  });

  it('names a full project in the log, once a minute (N2)', async () => {
    api.projects.put(aProject('team-a', { limits: { storedBytes: 1 } }));
    for (let n = 0; n < 3; n += 1)
      expect((await api.post(A_REQUEST)).body.error).to.include({ code: 'stored_bytes_full' });
    const lines = api.logLines.filter((line) => line.includes('a project is full'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include('"project":"team-a"').and.to.include('"code":"stored_bytes_full"');
  });

  it('returns the job of an earlier request with the same key although the project is full (N2)', async () => {
    await using full = await startApiServer({ projectClasses: { default: { storedJobs: 1 } } });
    const headers = { 'idempotency-key': 'k' };
    const first = await full.post(A_REQUEST, { headers });
    expect((await full.post(A_REQUEST, { headers })).body.data).to.deep.equal(first.body.data);
    const other = await full.post(A_REQUEST, { headers: { 'idempotency-key': 'other' } });
    expect(other.body.error).to.include({ code: 'stored_jobs_full' });
  });

  it('takes the limits of the class of the namespace, and those of the class default for an unknown one (N8)', async () => {
    await using classed = await startApiServer({
      projectClasses: { default: { storedJobs: 1 }, large: { storedJobs: 3 } },
    });
    async function statuses(count: number): Promise<number[]> {
      const seen: number[] = [];
      for (let n = 0; n < count; n += 1) seen.push((await classed.post(A_REQUEST)).status);
      return seen;
    }
    expect(await statuses(2)).to.deep.equal([201, 429]);
    classed.namespaces.put(aNamespace('team-a', 'large'));
    expect(await statuses(3)).to.deep.equal([201, 201, 429]);
    classed.namespaces.put(aNamespace('team-a', 'no-such-class'));
    expect(await statuses(1)).to.deep.equal([429]);
  });

  it('returns 429 if a ResourceQuota refuses the job (N2)', async () => {
    api.jobs.fail(
      new KubeError('exceeded quota', { attempt: 'POST /', httpStatus: 403, code: 'QuotaExceeded' }),
    );
    const response = await api.post(A_REQUEST);
    expect(response.status).to.equal(429);
    expect(response.body.error).to.include({ code: 'quota_exceeded' });
  });

  it('names the ResourceQuota that refuses a job, and its numbers (X38)', async () => {
    const said =
      'zipjobs.zipjobs.dev "a" is forbidden: exceeded quota: q, requested: count/zipjobs.zipjobs.dev=1, used: count/zipjobs.zipjobs.dev=9, limited: count/zipjobs.zipjobs.dev=9';
    api.jobs.fail(new KubeError(said, { attempt: 'POST /', httpStatus: 403, code: 'QuotaExceeded' }));
    const { message } = (await api.post(A_REQUEST)).body.error ?? {};
    expect(message).to.equal(
      'ResourceQuota "q" has no room: count/zipjobs.zipjobs.dev: 1 requested, 9 used, 9 allowed. Delete finished jobs, or ask your administrator for a higher quota.',
    );
  });

  it('returns 429 if a ResourceQuota refuses the file list, and deletes the job (N2)', async () => {
    api.secrets.fail(
      new KubeError('exceeded quota', { attempt: 'POST /', httpStatus: 403, code: 'QuotaExceeded' }),
    );
    const response = await api.post(A_REQUEST);
    expect([response.status, response.body.error?.code]).to.deep.equal([429, 'quota_exceeded']);
    expect(
      api.logLines.filter((line) => line.includes('could not store the complete file list')),
    ).to.deep.equal([]);
    await until('the job to be deleted', () => api.jobs.all().length === 0);
  });

  it('returns 403 if a policy of the cluster refuses the job, and names it in the log only (X41)', async () => {
    api.jobs.fail(refusedByWebhook());
    const response = await api.post(A_REQUEST);
    expect(response.status).to.equal(403);
    expect(response.body.error).to.include({ code: 'refused_by_policy' });
    expect(response.headers.get('retry-after')).to.equal(null);
    expect(JSON.stringify(response.body)).not.to.contain('require-team');
    const lines = api.logLines.filter((line) => line.includes('an admission policy refuses the jobs'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.contain('require-team').and.contain('team-a');
  });

  it('returns 403 if a policy of the cluster refuses the file list, and deletes the job (X41)', async () => {
    api.secrets.fail(refusedByWebhook());
    const response = await api.post(A_REQUEST);
    expect([response.status, response.body.error?.code]).to.deep.equal([403, 'refused_by_policy']);
    await until('the job to be deleted', () => api.jobs.all().length === 0);
  });
});
