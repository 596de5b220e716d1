import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { FAILURE_FAULTS } from '#crds/job-failures.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { ago, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { aSourceCheck, finishedAs, progressOf } from '#test/support/builders/zip-job-statuses.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  ADA,
  type DashboardServer,
  startDashboardServer,
  type Visitor,
  visitAs,
} from '#test/support/servers/dashboard-server.ts';

const JOBS = `/projects/${NAMESPACE}/jobs`;
const LIVE = `/projects/${NAMESPACE}/live/jobs`;

describe('the page of a failed job', () => {
  let server: DashboardServer;
  let visitor: Visitor;
  let jobs: Map<string, ZipJob>;
  function put(job: ZipJob): void {
    jobs.set(job.metadata.name, job);
    server.zipJobs.put(job);
  }
  async function page(name = NAME): Promise<string> {
    return (await visitor.get(`${JOBS}/${name}`)).text;
  }
  function aRerun(name: string, status: ZipJob['status'] = { phase: 'Running' }): ZipJob {
    return aZipJob({
      metadata: { name, creationTimestamp: ago(0), annotations: { [ANNOTATIONS.runAgainOf]: NAME } },
      status,
    });
  }
  beforeEach(async () => {
    jobs = new Map();
    server = await startDashboardServer();
    server.tokens.set(ADA, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
    server.respondWith(({ path }) => {
      const job = jobs.get(path.split('/').at(-1) ?? '');
      if (job === undefined) throw new KubeError('not found', { code: 'NotFound', httpStatus: 404 });
      return job;
    });
    visitor = await visitAs(server, ADA);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  it('starts with state, ID and actions, then the cause with its file and the remedy (Q-U8, Q-U9)', async () => {
    const failure = { code: 'SourceNotFound', fileIndex: 1, httpStatus: 404, retriable: false };
    const files = ['a', 'b'].map((filename) => ({
      url: `https://${filename}.example/?sig=SECRET`,
      filename,
    }));
    put(
      aZipJob({ spec: { files }, status: finishedAs('Failed', { failure, sourceCheck: aSourceCheck(1) }) }),
    );
    const text = await page();
    const order = [
      '<header class="title">',
      'Failed</span>',
      '<span class="quiet">created',
      '<code id="job-id"><b>6f1c0f4e</b>-0f0a-4f5e-9d53-0c9a3a0a1b2c</code>',
      `<a class="button primary" href="/projects/${NAMESPACE}/new-job?from=6f1c0f4e-0f0a-4f5e-9d53-0c9a3a0a1b2c">New job from this list</a>`,
      '<button class="plain">Run again</button>',
      '<h2 id="summary">Why this job failed</h2>',
      'b.example responded with 404 for b (file 2 of 3).',
      'Open the URL to see what it returns, or check that the bucket has an object with this key. Correct the URL, and send the request again.',
      '<code>SourceNotFound</code>',
      '<code id="job-host">b.example</code>',
      'Running it again sends the same request. Fix the cause first.',
      '<h2 id="stages">',
      '<h2 id="failing-files">',
      '<h2 id="log">',
      '<h2 id="facts">',
    ].map((part) => [part, text.indexOf(part)] as const);
    for (const [part, at] of order) expect(at, part).to.be.above(0);
    expect(order.map(([, at]) => at)).to.deep.equal(order.map(([, at]) => at).toSorted((a, b) => a - b));
    expect(text).to.not.contain('SECRET');
  });

  it('has the state and the name of the archive in its title', async () => {
    put(aZipJob({ spec: { key: 'exports/2026/48448.zip' }, status: finishedAs('Failed') }));
    const text = await page();
    expect(text).to.contain(`<title>Failed · 48448.zip · ${NAMESPACE} · zipjobs</title>`);
    expect(text).to.contain(`<a href="${JOBS}"><bdi>Jobs</bdi></a>`);
  });

  it('recommends a rerun only where one can help', async () => {
    put(aZipJob({ status: finishedAs('Failed', { reason: 'SourceUnavailable' }) }));
    expect(await page()).to.contain('<button class="button primary">Run again</button>');
    put(aZipJob({ status: finishedAs('Failed', { reason: 'SourceExpired' }) }));
    expect(await page())
      .to.contain('Send a new request instead.')
      .and.to.not.contain('>Run again</button>');
  });

  it('asks for a new request after the file list was deleted, and offers no rerun', async () => {
    const metadata = { annotations: { [ANNOTATIONS.fileListDeletedAt]: ago(1) } };
    put(aZipJob({ metadata, status: finishedAs('Failed', { reason: 'SourceUnavailable' }) }));
    expect(await page())
      .to.contain('<p>Wait until the source has recovered, then send the request again.</p>')
      .and.to.contain('>Send the request again: the file list was deleted.</p>')
      .and.to.not.contain('Run again')
      .and.to.not.contain('New job from this list')
      .and.to.not.contain('class="locked"');
  });

  it('locks a rerun that the user is not allowed to start, and still says whether it can help', async () => {
    const allowed = [`get zipprojects ${NAMESPACE}`, `list zipjobs ${NAMESPACE}`];
    server.tokens.set('viewer', { name: 'vera', allowed });
    put(aZipJob({ status: finishedAs('Failed', { reason: 'BucketAccessDenied' }) }));
    const viewer = await visitAs(server, 'viewer');
    expect((await viewer.get(`${JOBS}/${NAME}`)).text)
      .to.match(/class="locked"[^]*Your Kubernetes account is not allowed to create zipjobs in team-a\./)
      .and.to.contain('Fix the cause first.')
      .and.to.not.contain('New job from this list');
  });

  it('has plain words and a remedy for every reason', async () => {
    for (const reason of FAILURE_FAULTS.keys()) {
      put(aZipJob({ status: finishedAs('Failed', { reason }) }));
      expect(await page(), reason).to.match(/<p class="words">[A-Za-z][^<]+\.<\/p>\s*<p>[A-Z]/);
    }
  });

  it('links to its reruns, and they link to it', async () => {
    put(aZipJob({ status: finishedAs('Failed', { reason: 'SourceUnavailable' }) }));
    put(aRerun('again-1', { phase: 'Failed' }));
    put(aRerun('again-2'));
    const text = await page();
    expect(text)
      .to.match(new RegExp(`Running</span> <a href="${JOBS}/again-2"><bdi>again-2</bdi></a>`))
      .and.to.match(new RegExp(`Failed</span> <a href="${JOBS}/again-1"><bdi>again-1</bdi></a>`))
      .and.to.contain('A rerun of this job is in progress.');
    expect(await page('again-1')).to.contain(`Rerun of <a href="${JOBS}/${NAME}"><bdi>${NAME}</bdi></a>`);
    expect((await visitor.get(`${LIVE}/again-2`)).text).to.contain(`Rerun of <a href="${JOBS}/${NAME}">`);
  });

  it('shows no rerun to a user who is not allowed to list jobs', async () => {
    server.tokens.set(ADA, { name: 'ada', allowed: [`get zipprojects ${NAMESPACE}`] });
    put(aZipJob({ status: finishedAs('Failed') }));
    put(aRerun('again-1'));
    expect(await page())
      .to.contain('Why this job failed')
      .and.to.not.contain('again-1');
  });

  it('asks the API server about reruns only if there are any', async () => {
    put(aZipJob({ status: finishedAs('Failed') }));
    function asked() {
      return server.requests.filter(({ body }) =>
        JSON.stringify(body ?? {}).includes('"list","resource":"zipjobs"'),
      ).length;
    }
    const before = asked();
    await visitor.get(`${LIVE}/${NAME}`);
    expect(asked()).to.equal(before);
  });

  it('ends the live part once the job can no longer change', async () => {
    put(aZipJob({ status: { phase: 'Running' } }));
    expect((await visitor.get(`${LIVE}/${NAME}`)).text).to.not.contain('data-live-end');
    put(aZipJob({ status: finishedAs('Failed') }));
    expect((await visitor.get(`${LIVE}/${NAME}`)).text).to.match(/<span data-live-end hidden><\/span>\s*$/);
  });

  it('has the title of the page in the live part', async () => {
    for (const phase of ['Running', 'Failed'] as const) {
      put(aZipJob({ spec: { key: 'a/b.zip' }, status: { phase } }));
      const title = `data-title="${phase} · b.zip"`;
      expect((await visitor.get(`${LIVE}/${NAME}`)).text).to.contain(title);
      expect(await page())
        .to.contain(title)
        .and.to.contain(`<title>${phase} · b.zip · `);
    }
  });

  it('is refreshed less often once only the webhook is pending', async () => {
    const SLOW = 'data-live-every="30000"';
    put(aZipJob({ status: { phase: 'Running' } }));
    expect((await visitor.get(`${LIVE}/${NAME}`)).text).to.not.contain('data-live-every');
    const webhook = { state: 'Pending', attempts: 1 } as const;
    put(aZipJob({ status: finishedAs('Failed', { webhook }) }));
    expect((await visitor.get(`${LIVE}/${NAME}`)).text)
      .to.contain(SLOW)
      .and.to.not.contain('data-live-end');
    expect(await page()).to.contain(SLOW);
    put(aZipJob({ status: finishedAs('Failed', { webhook: { state: 'Delivered', attempts: 2 } }) }));
    expect((await visitor.get(`${LIVE}/${NAME}`)).text)
      .to.contain('data-live-end')
      .and.to.not.contain('data-live-every');
  });

  it('has the throughput as a chart with a unit, and as a table', async () => {
    for (const [n, secondsAgo] of [4, 3, 2, 1, 0].entries()) {
      const progress = { ...progressOf('p1'), bytesRead: (n + 1) * 1_024, updatedAt: ago(secondsAgo) };
      put(aZipJob({ status: finishedAs('Failed', { progress }) }));
    }
    expect(await page())
      .to.match(/<svg class="plot-area"[^>]* role="img" aria-label="5\.0 KiB read in 3 s, peak 1\.0 KiB\/s">/)
      .and.to.contain('Bytes read per second')
      .and.to.match(/<th scope="row"><time datetime="[^"]+">[^<]+ UTC<\/time><\/th>/);
  });

  it('says why a job was cancelled', async () => {
    put(aZipJob({ status: finishedAs('Cancelled') }));
    expect(await page())
      .to.contain('Why this job was cancelled')
      .and.to.contain('The job was cancelled.')
      .and.to.contain('<button class="button primary">Run again</button>');
  });
});
