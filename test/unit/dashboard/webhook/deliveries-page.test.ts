import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { ANNOTATIONS } from '#crds/api-group.ts';
import type { JobWebhookState, WebhookDelivery, WebhookState, ZipJob } from '#crds/zip-job.ts';
import { endpointDigest } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { readVerifySamples } from '#runtime/samples/read-sample.ts';
import { countReads } from '#test/support/builders/count-reads.ts';
import { ago, aZipJob } from '#test/support/builders/objects.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';

const WEBHOOK = `${HOME}/webhook`;
const DELIVERIES = `${WEBHOOK}/deliveries`;
const RESEND = `${WEBHOOK}/resend`;
const SENT: WebhookDelivery = {
  at: '2026-01-02T03:04:05Z',
  durationMs: 7,
  bytes: 2_048,
  attempt: 3,
  status: 500,
};

function formOf(jobs: readonly string[]): URLSearchParams {
  return new URLSearchParams(jobs.map((job): [string, string] => ['job', job]));
}

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

describe('the deliveries of the webhook page', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function putJob(
    name: string,
    state: WebhookState['state'],
    {
      phase = 'Succeeded',
      log = [SENT],
      endpoints = [],
    }: {
      phase?: 'Succeeded' | 'Failed';
      log?: WebhookState['log'] & object;
      endpoints?: JobWebhookState['endpoints'] & object;
    } = {},
  ): ZipJob {
    const webhook = { state, deliveryId: `msg_${name}`, attempts: log.length, log, endpoints };
    const zipJob = aZipJob({
      metadata: { namespace: TEAM, name },
      spec: { key: `${name}.zip` },
      status: { phase, webhook },
    });
    project.server.zipJobs.put(zipJob);
    project.objects.put(COLLECTIONS.zipJobs, zipJob);
    return zipJob;
  }
  function replayOf(name: string): unknown {
    const object = project.objects.get(`${COLLECTIONS.zipJobs}/${name}`);
    const metadata = isRecord(object) ? object['metadata'] : undefined;
    const annotations = isRecord(metadata) ? metadata['annotations'] : undefined;
    return isRecord(annotations) ? annotations[ANNOTATIONS.replayWebhook] : undefined;
  }
  async function rowsOf(path: string): Promise<readonly string[]> {
    const { text } = await project.ada.get(path);
    const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(text) ?? [];
    return [...body.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) => textOf(row));
  }

  it('show status, duration, size and attempt, and – for what the status does not say', async () => {
    putJob('new', 'Exhausted');
    putJob('old', 'Delivered', { log: [{ at: '2026-01-01T00:00:00Z', durationMs: 12, status: 204 }] });
    const [failed, delivered] = await rowsOf(DELIVERIES);
    expect(failed).to.match(
      /^new\.zip COMPLETED .* Failed HTTP 500 7 ms 2\.0 KiB 3 Resend the webhook of new\.zip$/,
    );
    expect(delivered).to.match(/^old\.zip COMPLETED .* Delivered HTTP 204 12 ms – –$/);
  });

  it('are filtered by the URL, with a chip for each filter that removes it', async () => {
    putJob('good', 'Delivered');
    putJob('bad', 'Exhausted', { phase: 'Failed' });
    putJob('worse', 'Exhausted');
    for (const path of [DELIVERIES, `${HOME}/live/webhook/deliveries`]) {
      expect(await rowsOf(`${path}?result=failed`), path).to.have.lengthOf(2);
      expect(await rowsOf(`${path}?result=failed&event=FAILED`), path).to.have.lengthOf(1);
      expect(await rowsOf(`${path}?result=nonsense`), path).to.have.lengthOf(3);
    }
    const { text } = await project.ada.get(`${DELIVERIES}?result=failed&event=FAILED`);
    expect(text).to.contain(`href="${DELIVERIES}?event=FAILED"`);
    expect(text).to.contain(`href="${DELIVERIES}?result=failed"`);
    expect(text).to.contain(`data-live="${HOME}/live/webhook/deliveries?result=failed&amp;event=FAILED"`);
    const { text: none } = await project.ada.get(`${DELIVERIES}?result=pending`);
    expect(none).to.contain('No deliveries match these filters').and.contain('Clear filters');
  });

  it('are filtered by the endpoint of a project with several, and resent with the same filter', async () => {
    putJob('bad', 'Exhausted', { endpoints: [{ name: 'audit', state: 'Exhausted', log: [SENT] }] });
    const { text: single } = await project.ada.get(DELIVERIES);
    expect(single).to.not.contain('id="endpoint"');
    project.putProject({ webhook: { endpoints: [{ name: 'audit' }] } });
    for (const path of [DELIVERIES, `${HOME}/live/webhook/deliveries`]) {
      expect(await rowsOf(path), path).to.have.lengthOf(2);
      expect(await rowsOf(`${path}?endpoint=nonsense`), path).to.have.lengthOf(2);
      expect(await rowsOf(`${path}?endpoint=default`), path).to.have.lengthOf(1);
      const [row, ...more] = await rowsOf(`${path}?endpoint=audit`);
      expect([row, more], path).to.deep.equal([row, []]);
      expect(row, path).to.contain('COMPLETED to audit');
    }
    const { text } = await project.ada.get(`${DELIVERIES}?endpoint=audit`);
    expect(text)
      .to.contain('<option value="audit" selected>audit</option>')
      .and.contain('<bdi>Endpoint: audit</bdi>')
      .and.contain(`href="${RESEND}?endpoint=audit">Resend failed deliveries…`)
      .and.contain(`data-live="${HOME}/live/webhook/deliveries?endpoint=audit"`)
      .and.contain('<input type="hidden" name="endpoint" value="audit">');
    const { text: resend } = await project.ada.get(`${RESEND}?endpoint=audit`);
    expect([...resend.matchAll(/name="job" value="([^"]+)"/g)].map(([, id]) => id)).to.deep.equal([
      'bad/audit',
    ]);
    expect(resend)
      .to.contain('<input type="hidden" name="endpoint" value="audit">')
      .and.contain(`href="${DELIVERIES}?endpoint=audit">Cancel`);
    const sent = await project.send(RESEND, { endpoint: 'audit' });
    expect(sent.headers.get('location')).to.equal(`${DELIVERIES}?endpoint=audit`);
  });

  it('are read one by one, never with all jobs of the project', async () => {
    for (const n of Array.from({ length: 120 }).keys())
      putJob(`job-${n}`, n < 30 ? 'Exhausted' : 'Delivered', {
        log: [{ at: ago(200 - n), durationMs: 1, status: 200 }],
      });
    const reads = countReads(project.server.zipJobs.reflector);
    const rows = await rowsOf(`${HOME}/live/webhook/deliveries`);
    expect([rows.length, reads()]).to.deep.equal([25, 25]);
    expect(rows[0]).to.match(/^job-119\.zip /);
    const { text } = await project.ada.get(`${DELIVERIES}?page=2`);
    expect(text).to.contain('26–50 of 120 deliveries').and.contain('Page 2 of 5');
    expect(text)
      .to.contain(`rel="prev" href="${DELIVERIES}"`)
      .and.contain(`rel="next" href="${DELIVERIES}?page=3"`)
      .and.contain('live/webhook/deliveries?page=2"');
    const next = await rowsOf(`${HOME}/live/webhook/deliveries?page=2`);
    expect([next.length, reads()]).to.deep.equal([25, 75]);
    expect(next[0]).to.match(/^job-94\.zip /);
    const failed = await rowsOf(`${HOME}/live/webhook/deliveries?result=failed`);
    expect([failed.length, reads()]).to.deep.equal([25, 100]);
    expect(failed[0]).to.match(/^job-29\.zip /);
  });

  it('appear in an open page with their filters and the button that resends those that failed', async () => {
    const live = `${HOME}/live/webhook/deliveries`;
    const before = (await project.ada.get(live)).text;
    expect(before).to.contain('No deliveries yet').and.not.contain('Resend').and.not.contain('<select');
    putJob('bad', 'Exhausted');
    const after = (await project.ada.get(`${live}?event=COMPLETED`)).text;
    expect(after)
      .to.contain(`href="${RESEND}?event=COMPLETED">Resend failed deliveries…`)
      .and.contain('<select id="result"')
      .and.contain('<option value="pending">Pending</option>')
      .and.contain('<bdi>Event: COMPLETED</bdi>');
  });

  it('are gone with the first request after their permission', async () => {
    putJob('secret', 'Delivered');
    const { server, viewer } = project;
    const live = `${HOME}/live/webhook/deliveries`;
    expect((await viewer.get(live)).text).to.contain('secret.zip');
    server.tokens.set(VIEW, { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    expect((await viewer.get(live)).text).not.to.contain('secret.zip');
  });

  it('share one form', async () => {
    for (const name of ['one', 'two']) putJob(name, 'Exhausted');
    putJob('good', 'Delivered');
    const { text } = await project.ada.get(`${DELIVERIES}?event=COMPLETED`);
    expect(text.split(`action="${RESEND}"`)).to.have.lengthOf(2);
    expect(
      [...text.matchAll(/<button form="resend" name="job" value="([^"]+)">/g)].map(([, name]) => name),
    ).to.have.members(['one', 'two']);
    const [, form = ''] = /<form id="resend"(.*?)<\/form>/s.exec(text) ?? [];
    expect(form).to.contain('name="csrf"').and.contain('name="event" value="COMPLETED"');
  });

  it('that failed are resent one by one, back to the same filters', async () => {
    putJob('bad', 'Exhausted');
    project.server.respondWith((request) => {
      const response = project.objects.respond(request);
      const nonce = replayOf('bad');
      if (typeof nonce === 'string' && request.method === 'PATCH') {
        const done = putJob('bad', 'Delivered');
        const webhook = { state: 'Delivered', replayNonce: nonce } as const;
        const zipJob: ZipJob = { ...done, status: { ...done.status, webhook } };
        project.objects.put(COLLECTIONS.zipJobs, zipJob);
      }
      return response;
    });
    const { status, headers } = await project.send(RESEND, { job: 'bad', result: 'failed', event: '' });
    expect(status).to.equal(303);
    expect(headers.get('location')).to.equal(`${DELIVERIES}?result=failed`);
    expect((await project.ada.get(DELIVERIES)).text).to.contain('Webhook of bad.zip delivered');
  });

  it('that failed are resent together, with an outcome for each job', async () => {
    putJob('one', 'Exhausted');
    putJob('two', 'Exhausted');
    putJob('good', 'Delivered');
    const { text } = await project.ada.get(RESEND);
    expect(text)
      .to.contain('Resend 2 deliveries')
      .and.contain('name="job" value="one"')
      .and.not.contain('good.zip');
    const form = formOf(['one', 'two', 'gone']);
    const sent = await project.send(RESEND, form);
    expect(sent.status).to.equal(200);
    expect(textOf(sent.text)).to.contain('2 deliveries requested, 1 not possible.');
    expect(sent.text).to.contain('Job &quot;gone&quot; not found');
    expect([replayOf('one'), replayOf('two')].map((nonce) => typeof nonce)).to.deep.equal([
      'string',
      'string',
    ]);
    expect(replayOf('good')).to.equal(undefined);
  });

  it('that are resent together each have an outcome, whatever error one of them gets (UI11)', async () => {
    for (const name of ['one', 'two', 'three']) putJob(name, 'Exhausted');
    const path = `${COLLECTIONS.zipJobs}/two`;
    for (const [code, httpStatus, message] of [
      ['ServerError', 500, 'etcdserver: leader changed'],
      ['Forbidden', 403, 'User "ada" cannot patch'],
      ['TooManyRequests', 429, 'slow down'],
      ['AlreadyExists', 409, 'odd'],
    ] as const) {
      const error = new KubeError(`${message}`, { attempt: `PATCH ${path}`, code, httpStatus });
      project.objects.fail(error, (request) => request.method === 'PATCH' && request.path === path);
      const { status, text } = await project.send(RESEND, formOf(['one', 'two', 'three']));
      expect(status, code).to.equal(200);
      expect(textOf(text), code).to.contain('2 deliveries requested, 1 not possible.');
      expect((await project.send(RESEND, formOf(['two']))).status, code).to.equal(303);
    }
  });

  it('that are resent with a token that is not valid any more end the session (UI11)', async () => {
    for (const name of ['one', 'two']) putJob(name, 'Exhausted');
    const error = new KubeError('no', { attempt: 'PATCH /x', code: 'Unauthorized', httpStatus: 401 });
    project.objects.fail(error, ({ method }) => method === 'PATCH');
    const { headers } = await project.send(RESEND, formOf(['one', 'two']));
    expect(headers.get('location')).to.match(/^\/sign-in\?/);
  });

  it('that are resent together are looked up by name, never among all jobs of the project', async () => {
    const uuid = '0f9d7a52-58a4-4c8e-9a57-1d1a2b3c4d5e';
    for (const jobs of [[uuid], [uuid, 'gone']]) await project.send(RESEND, formOf(jobs));
    const lists = project.server.requests.filter(
      ({ bearer, path }) => bearer !== undefined && path === COLLECTIONS.zipJobs,
    );
    expect(lists).to.deep.equal([]);
  });

  it('that are resent together are at most as many as one form allows', async () => {
    const names = Array.from({ length: 110 }, (_, n) => `job-${n}`);
    for (const name of names) putJob(name, 'Exhausted');
    expect(textOf((await project.ada.get(RESEND)).text)).to.contain('the newest 100 of 110');
    expect((await project.send(RESEND, formOf(names))).status).to.equal(422);
    const { text } = await project.send(RESEND, formOf(names.slice(0, 100)));
    expect(textOf(text)).to.contain('100 deliveries requested.');
    expect(names.filter((name) => replayOf(name) !== undefined)).to.have.lengthOf(100);
  });

  it('are resent to the endpoint that they failed at, and shown with it', async () => {
    const endpoints = [{ name: 'audit', state: 'Exhausted', deliveryId: 'msg_bad', log: [SENT] }] as const;
    putJob('bad', 'Delivered', { endpoints });
    const { text } = await project.ada.get(DELIVERIES);
    expect(textOf(text)).to.contain('COMPLETED to audit');
    expect((await project.ada.get(`${DELIVERIES}/bad?endpoint=audit`)).text).to.contain('to endpoint audit');
    await project.send(RESEND, formOf(['bad/audit', 'bad']));
    const { metadata } = project.objects.get(`${COLLECTIONS.zipJobs}/bad`) as unknown as ZipJob;
    expect(Object.keys(metadata.annotations ?? {})).to.include.members([
      'zipjobs.dev/replay-webhook',
      'zipjobs.dev/replay-webhook.audit',
    ]);
  });

  it('are not resent without a choice, and the page names a disabled endpoint', async () => {
    const url = 'https://hooks.example.com/';
    const state = { endpoint: endpointDigest(url), state: 'Disabled', reason: 'Gone' } as const;
    project.putProject({ webhook: { url } }, { status: { webhook: state } });
    expect((await project.ada.get(RESEND)).text).to.contain('No failed deliveries');
    putJob('bad', 'Exhausted');
    expect((await project.ada.get(RESEND)).text).to.contain('The endpoint is disabled after failures');
    await project.send(RESEND, {});
    expect((await project.ada.get(DELIVERIES)).text).to.contain('No failed deliveries to resend');
    expect(replayOf('bad')).to.equal(undefined);
  });

  it('are resent after a warning that names each disabled endpoint of the list', async () => {
    const url = 'https://hooks.example.com/';
    const disabled = { endpoint: endpointDigest(url), state: 'Disabled', reason: 'Gone' } as const;
    project.putProject(
      {
        webhook: {
          endpoints: [
            { name: 'audit', url },
            { name: 'idle', url },
          ],
        },
      },
      {
        status: {
          webhook: {
            endpoints: [
              { name: 'audit', ...disabled },
              { name: 'idle', ...disabled },
            ],
          },
        },
      },
    );
    putJob('bad', 'Exhausted', { endpoints: [{ name: 'audit', state: 'Exhausted', log: [SENT] }] });
    const { text } = await project.ada.get(RESEND);
    expect(textOf(text)).to.contain('The endpoint audit is disabled after failures. Nothing is sent to it');
    expect(text).to.contain(`<a href="${WEBHOOK}/endpoints/audit">enable it</a>`).and.not.contain('idle');
  });

  it('are visible with the view role, which cannot resend', async () => {
    putJob('bad', 'Exhausted');
    project.putProject({ webhook: { url: 'https://hooks.example.com/' } });
    const { text } = await project.viewer.get(DELIVERIES);
    expect(text).to.contain('bad.zip').and.not.contain(`action="${RESEND}"`);
    expect(text).to.contain('>Your Kubernetes account is not allowed to patch zipjobs');
    expect((await project.viewer.get(RESEND)).status).to.equal(403);
  });

  it('show how to verify a signature with the samples that tests run', async () => {
    const { text } = await project.viewer.get(`${WEBHOOK}/verify`);
    const shown = text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
    const samples = readVerifySamples();
    expect(samples.map(({ language }) => language)).to.deep.equal([
      'Shell with openssl',
      'TypeScript',
      'Python',
      'Go',
    ]);
    for (const { path } of samples) expect(shown, path).to.contain(await readFile(path, 'utf8'));
  });
});
