import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { endpointAnnotation } from '#crds/webhook-endpoints.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { ago, aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';
import { aSourceCheck } from '#test/support/builders/zip-job-statuses.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import {
  type DashboardServer,
  startDashboardServer,
  type Visitor,
} from '#test/support/servers/dashboard-server.ts';

const TOKEN = 'ada-token';
const EVIL = `"'><script>alert(1)</script>`;
const JOBS = `/projects/${NAMESPACE}/jobs`;
const JOB = `${JOBS}/${NAME}`;
const ZIP_JOBS = `/apis/zipjobs.dev/v1alpha1/namespaces/${NAMESPACE}/zipjobs`;

function rowsIn(html: string): number {
  return html.split('<tr data-key=').length - 1;
}

describe('the job pages', () => {
  let server: DashboardServer;
  let visitor: Visitor;
  /** The objects of the API server by path. */
  let objects: Map<string, object>;
  function callsOf(...methods: readonly string[]): readonly KubeRequest[] {
    return server.requests.filter(
      ({ method, path }) => methods.includes(method) && !path.includes('/selfsubject'),
    );
  }
  function hold(job: ZipJob): void {
    objects.set(`${ZIP_JOBS}/${job.metadata.name}`, job);
  }
  beforeEach(async () => {
    objects = new Map();
    server = await startDashboardServer();
    server.tokens.set(TOKEN, { name: 'ada', allowed: ['*'] });
    server.zipProjects.put(aProject(NAMESPACE));
    server.respondWith(({ method, path, body }) => {
      if (method === 'POST') return body;
      const object = objects.get(path);
      if (object === undefined)
        throw new KubeError('not found', { attempt: path, code: 'NotFound', httpStatus: 404 });
      return object;
    });
    visitor = server.visit();
    await visitor.signIn(TOKEN);
  });
  afterEach(() => server[Symbol.asyncDispose]());

  function fill(count: number): void {
    for (let n = 0; n < count; n += 1)
      server.zipJobs.put(aZipJob({ metadata: { name: `job-${n}`, creationTimestamp: ago(1_000 - n) } }));
  }

  describe('the list', () => {
    it('comes from the cache after an access review, page by page', async () => {
      fill(60);
      const { text } = await visitor.get(JOBS);
      expect(rowsIn(text)).to.equal(25);
      expect(text)
        .to.contain('60 jobs')
        .and.to.contain('1–25 of 60')
        .and.to.contain(`href="${JOBS}?page=2"`)
        .and.to.not.contain('rel="prev"');
      expect(text.indexOf('job-59')).to.be.lessThan(text.indexOf('job-58'));
      const last = (await visitor.get(`${JOBS}?page=3`)).text;
      expect(rowsIn(last)).to.equal(10);
      expect(last)
        .to.contain(`<a rel="prev" href="${JOBS}?page=2">Newer</a>`)
        .and.contain('51–60 of 60')
        .and.not.contain('rel="next"');
      expect(callsOf('GET', 'POST')).to.deep.equal([]);
    });

    it('refreshes only the rows on the page', async () => {
      fill(30);
      const live =
        /data-live="([^"]+)"/.exec((await visitor.get(JOBS)).text)?.[1]?.replaceAll('&amp;', '&') ?? '';
      const gets: string[] = [];
      const get = server.zipJobs.reflector.get.bind(server.zipJobs.reflector);
      server.zipJobs.reflector.get = (key) => {
        gets.push(key);
        return get(key);
      };
      server.zipJobs.reflector.byIndex = () => {
        throw new Error('a list of all jobs');
      };
      server.zipJobs.put(aZipJob({ metadata: { name: 'later', creationTimestamp: ago(0) } }));
      const { text } = await visitor.get(live, { 'x-live': '1' });
      expect(rowsIn(text)).to.equal(25);
      expect(gets).to.have.lengthOf(25);
      expect(text).to.contain('Show 1 newer job').and.to.not.contain('later').and.to.not.contain('<html');
      expect(callsOf('GET')).to.deep.equal([]);
    });

    it('refuses more rows than a page has', async () => {
      const rows = Array.from({ length: 26 }, (_, n) => `row=job-${n}`).join('&');
      expect((await visitor.get(`/projects/${NAMESPACE}/live/jobs?${rows}`)).status).to.equal(422);
    });

    it('checks on every request whether the user is allowed to list jobs', async () => {
      server.tokens.set(TOKEN, { name: 'ada', allowed: [`get zipprojects ${NAMESPACE}`] });
      for (const path of [JOBS, `/projects/${NAMESPACE}/live/jobs`]) {
        const response = await visitor.get(path);
        expect(response.status).to.equal(403);
        expect(response.text).to.contain('is not allowed to list zipjobs');
      }
    });
  });

  it('escapes everything that a caller controls', async () => {
    const job = aZipJob({
      metadata: { annotations: { 'zipjobs.dev/created-by': EVIL, 'zipjobs.dev/run-again-of': EVIL } },
      spec: {
        key: EVIL,
        metadata: JSON.stringify({ evil: EVIL }),
        bucketRef: { name: `s3-${EVIL}` },
        files: [{ url: 'https://files.example/', filename: EVIL }],
      },
      status: {
        phase: 'Failed',
        reason: EVIL,
        message: EVIL,
        failure: { code: EVIL, message: EVIL, fileIndex: 0, retriable: false },
        sourceCheck: { ...aSourceCheck(1), failures: [{ fileIndex: 0, code: EVIL }] },
        attempts: [{ n: 1, podUid: 'p', finishedAt: ago(1), reason: EVIL, message: EVIL }],
        job: { name: NAME, uid: 'u', node: EVIL },
        webhook: { state: 'Exhausted', deliveryId: EVIL, log: [{ at: ago(1), durationMs: 1, error: EVIL }] },
        conditions: [
          { type: 'Failed', status: 'True', reason: EVIL, message: EVIL, lastTransitionTime: ago(1) },
        ],
      },
    });
    hold(job);
    server.zipJobs.put(job);
    const search = new URLSearchParams({ q: EVIL, bucket: EVIL, state: EVIL, within: EVIL }).toString();
    for (const path of [JOBS, `${JOBS}?${search}`, JOB, `/projects/${NAMESPACE}/live/jobs/${NAME}`]) {
      const { text } = await visitor.get(path);
      expect(text, path)
        .to.contain('&lt;script&gt;')
        .and.to.not.contain('<script>')
        .and.to.not.contain(`"'>`);
    }
  });

  describe('one job', () => {
    it('is read with the token of the user, by name or UUID', async () => {
      hold(aZipJob({ status: { phase: 'Running' } }));
      for (const name of [NAME, NAME.slice('zip-'.length)]) {
        const { text, status } = await visitor.get(`${JOBS}/${name}`);
        expect(status).to.equal(200);
        expect(text).to.contain('data-live=');
      }
      expect(new Set(callsOf('GET').map(({ bearer, path }) => `${bearer ?? ''} ${path}`))).to.deep.equal(
        new Set([`${TOKEN} ${ZIP_JOBS}/${NAME}`]),
      );
    });

    it('lists its failing files in a table', async () => {
      hold(aZipJob({ status: { phase: 'Failed', sourceCheck: aSourceCheck(137) } }));
      const { text } = await visitor.get(JOB);
      expect(text)
        .to.contain('<h2 id="failing-files">Failing files</h2>')
        .and.to.contain('137 of 3 files could not be downloaded.')
        .and.to.match(/<th scope="row">File 74<\/th>\s*<td data-label="Cause">No connection<\/td>/);
      expect(text.match(/<th scope="row">File \d/g)).to.have.length(100);
    });

    it('is not live once it can no longer change', async () => {
      hold(aZipJob({ status: { phase: 'Failed' } }));
      expect((await visitor.get(JOB)).text).to.not.contain('data-live=');
    });

    it('is not found when it does not exist', async () => {
      expect((await visitor.get(JOB)).status).to.equal(404);
    });

    it('is denied when the API server denies it', async () => {
      server.respondWith(({ path }) => {
        throw new KubeError('User "ada" cannot get resource', {
          user: 'ada',
          attempt: `GET ${path}`,
          code: 'Forbidden',
          httpStatus: 403,
        });
      });
      expect((await visitor.get(JOB)).status).to.equal(403);
    });
  });

  describe('a change', () => {
    async function cancel(csrf: string) {
      return visitor.post(`${JOB}/cancel`, { csrf });
    }

    it('is made with the token of the user, and confirmed on the page of the job', async () => {
      const job = aZipJob({ status: { phase: 'Running' } });
      hold(job);
      const response = await cancel(await visitor.csrf(JOB));
      expect(response.status).to.equal(303);
      expect(response.headers.get('location')).to.equal(JOB);
      expect(callsOf('PATCH').map(({ path, bearer, body }) => ({ path, bearer, body }))).to.deep.equal([
        { path: `${ZIP_JOBS}/${NAME}`, bearer: TOKEN, body: { spec: { cancel: true } } },
      ]);
      expect((await visitor.get(JOB)).text).to.contain(
        'Cancellation requested. Any partial upload is removed.',
      );
      expect((await visitor.get(JOB)).text).to.not.contain(
        'Cancellation requested. Any partial upload is removed.',
      );
    });

    it('is refused without the CSRF token, or when the user is denied', async () => {
      hold(aZipJob({ status: { phase: 'Running' } }));
      const csrf = await visitor.csrf(JOB);
      expect((await cancel('another')).status).to.equal(403);
      server.tokens.set(TOKEN, { name: 'ada', allowed: [`get zipprojects ${NAMESPACE}`] });
      expect((await cancel(csrf)).status).to.equal(403);
      expect(callsOf('PATCH')).to.deep.equal([]);
    });

    it('that the state of the job prevents shows an error on its page', async () => {
      hold(aZipJob({ status: { phase: 'Failed' } }));
      const response = await cancel(await visitor.csrf('/projects'));
      expect(response.headers.get('location')).to.equal(JOB);
      expect((await visitor.get(JOB)).text)
        .to.contain('it is already finished')
        .and.to.contain('role="alert"');
    });

    for (const [state, kind, message] of [
      ['Delivered', 'done', 'Webhook delivered'],
      ['Exhausted', 'failed', 'the receiver did not accept it'],
    ] as const)
      it(`that resends a webhook is shown as ${kind} if the webhook is ${state}`, async () => {
        const webhook = { state, attempts: 1, log: [{ at: ago(1), durationMs: 1, status: 500 }] };
        let job = aZipJob({ status: { phase: 'Failed', webhook } });
        server.respondWith(({ method, body }) => {
          const { metadata } = (body ?? {}) as Partial<ZipJob>;
          const replayNonce = metadata?.annotations?.[ANNOTATIONS.replayWebhook];
          // The controller sends it at once.
          if (method === 'PATCH' && replayNonce !== undefined)
            job = aZipJob({ status: { phase: 'Failed', webhook: { ...webhook, replayNonce } } });
          return job;
        });
        await visitor.post(`${JOB}/replay-webhook`, { csrf: await visitor.csrf(JOB) });
        expect((await visitor.get(JOB)).text).to.match(
          new RegExp(`<div class="notice ${kind}" role="[a-z]+"><p>[^<]*${message}`),
        );
      });

    it('that resends a webhook requests it of each endpoint that did not get it', async () => {
      const delivered = { state: 'Delivered', attempts: 1 } as const;
      const lost = { state: 'Exhausted', attempts: 1 } as const;
      const endpoints = [
        { ...lost, name: 'audit' },
        { ...lost, name: 'billing' },
      ];
      hold(aZipJob({ status: { phase: 'Failed', webhook: { ...delivered, endpoints } } }));
      await visitor.post(`${JOB}/replay-webhook`, { csrf: await visitor.csrf(JOB) });
      const commands = callsOf('PATCH').flatMap(({ body }) =>
        Object.keys((body as Partial<ZipJob>).metadata?.annotations ?? {}),
      );
      expect(commands).to.have.members([
        `${ANNOTATIONS.replayWebhook}.audit`,
        `${ANNOTATIONS.replayWebhook}.billing`,
      ]);
      expect((await visitor.get(JOB)).text).to.contain('requested for these endpoints: audit, billing.');
    });

    for (const [endpoint, message] of [
      ['default', 'The webhook endpoint of the project is disabled'],
      ['audit', 'The project no longer has'],
    ] as const)
      it(`that resends a webhook says why nothing was sent to the endpoint ${endpoint}`, async () => {
        function withNonce(replayNonce = ''): ZipJob {
          const unsent = { state: 'Exhausted', attempts: 0, replayNonce } as const;
          const webhook =
            endpoint === 'default'
              ? unsent
              : ({
                  state: 'Delivered',
                  // The controller finds out when it is to send the event again.
                  endpoints: [
                    {
                      ...unsent,
                      name: endpoint,
                      ...(replayNonce !== '' && { reason: 'EndpointRemoved' as const }),
                    },
                  ],
                } as const);
          return aZipJob({ status: { phase: 'Failed', webhook } });
        }
        let job = withNonce();
        server.respondWith(({ method, body }) => {
          const { metadata } = (body ?? {}) as Partial<ZipJob>;
          const nonce = metadata?.annotations?.[endpointAnnotation(ANNOTATIONS.replayWebhook, endpoint)];
          if (method === 'PATCH' && nonce !== undefined) job = withNonce(nonce);
          return job;
        });
        await visitor.post(`${JOB}/replay-webhook`, { csrf: await visitor.csrf(JOB) });
        expect((await visitor.get(JOB)).text).to.contain(`Webhook not sent. ${message}`);
      });

    it('that runs a job again redirects to the new one', async () => {
      hold(aZipJob({ status: { phase: 'Failed' } }));
      const response = await visitor.post(`${JOB}/run-again`, { csrf: await visitor.csrf(JOB) });
      expect(response.headers.get('location')).to.match(new RegExp(`^${JOBS}/zip-[0-9a-f-]{36}$`));
      expect(response.headers.get('location')).to.not.equal(JOB);
      expect(callsOf('POST').map(({ path }) => path)).to.deep.equal([ZIP_JOBS]);
    });
  });
});
