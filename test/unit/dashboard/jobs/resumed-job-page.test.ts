import { expect } from 'chai';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { ago, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { anUpload, aResult, finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const FIRST = {
  n: 1,
  podUid: 'uid-p1',
  startedAt: ago(40),
  finishedAt: ago(30),
  class: 'disruption',
  upload: anUpload('open'),
} as const;

describe('the page of a job whose upload outlives its pod', () => {
  let server: DashboardServer;
  beforeEach(async () => {
    server = await startDashboardServer();
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
  });
  afterEach(() => server[Symbol.asyncDispose]());

  async function pageOf(status: ZipJobStatus): Promise<string> {
    const job: ZipJob = aZipJob({ status });
    server.respondWith(({ path }) => {
      if (path.endsWith(`/${NAME}`)) return job;
      throw new KubeError('not found', { code: 'NotFound', httpStatus: 404 });
    });
    server.zipJobs.put(job);
    const visitor = await visitAs(server, ADA);
    return (await visitor.get(`/projects/${NAMESPACE}/jobs/${NAME}`)).text;
  }

  it('says what the active pod continues', async () => {
    const upload = { ...anUpload('open'), resumedParts: 12, resumedBytes: 2_048 };
    expect(await pageOf(running('p2', { attempts: [FIRST], upload }))).to.contain(
      '<p class="small">Continues the upload of attempt 1: 12 parts, 2.0 KiB kept</p>',
    );
  });

  it('says why the active pod continues nothing', async () => {
    const upload = { ...anUpload('open'), refusal: 'LayoutChanged' } as const;
    expect(await pageOf(running('p2', { attempts: [FIRST], upload }))).to.contain(
      'Does not continue the upload of attempt 1: A source has another length than before',
    );
  });

  it('says how often the upload of an archive was continued', async () => {
    const status = finishedAs('Succeeded', { attempts: [FIRST], result: aResult({ resumes: 3 }) });
    expect(await pageOf(status)).to.match(/Upload resumed<.{1,60}>3 times</s);
  });

  it('says nothing of a job that never resumed', async () => {
    const text = await pageOf(finishedAs('Succeeded', { attempts: [FIRST], result: aResult() }));
    expect(text).not.to.match(/resumed|ontinue/);
  });
});
