import { expect } from 'chai';
import type { WebhookState, ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { webhookBody } from '#runtime/webhook/payload.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';

const NAME = 'zip-6f1c0f4e-0000-4000-8000-000000000001';
const PATH = `${HOME}/webhook/deliveries/${NAME}`;
const METADATA = '{"order":1.0,"text":"it\'s $HOME `id` <b>"}';

function decoded(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

describe('the page of a delivery', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function put(state: WebhookState['state'], log: WebhookState['log'] & object): ZipJob {
    const webhook = { state, deliveryId: `msg_${NAME}`, attempts: log.length, log };
    const zipJob = aZipJob({
      metadata: { namespace: TEAM, name: NAME },
      spec: {
        key: 'a.zip',
        metadata: METADATA,
        files: [{ url: 'https://files.example.com/?sig=SIGNED', filename: 'a' }],
        webhook: { url: 'https://hooks.example.com/services/CREDENTIAL', events: ['COMPLETED', 'FAILED'] },
      },
      status: { phase: 'Failed', reason: 'SourceNotFound', message: 'File 8 answered 404.', webhook },
    });
    project.objects.put(COLLECTIONS.zipJobs, zipJob);
    return zipJob;
  }
  const LOG = [
    { at: '2026-01-02T03:04:05Z', durationMs: 7, bytes: 300, attempt: 1, status: 500 },
    { at: '2026-01-02T03:09:05Z', durationMs: 8, bytes: 300, attempt: 2, error: 'timeout' },
  ] as const;

  it('shows the payload as it was sent, every attempt, and no URL and no response body (Q-U14)', async () => {
    const zipJob = put('Exhausted', LOG);
    const { status, text } = await project.viewer.get(PATH);
    expect(status).to.equal(200);
    const [, payload = ''] = /<code id="payload">(.*?)<\/code>/s.exec(text) ?? [];
    expect(decoded(payload)).to.equal(webhookBody(zipJob, 'FAILED', '/docs'));
    expect(text).to.contain('Failed').and.contain('HTTP 500').and.contain('timeout').and.contain('03:04:05');
    expect(text).to.contain(`msg_${NAME}`).and.contain(`href="${HOME}/jobs/${NAME}"`);
    expect(text).to.not.contain('CREDENTIAL').and.not.contain('SIGNED').and.not.contain('hooks.example.com');
  });

  it('can be sent by curl, with placeholders for the URL and the signing secret (Q-U14)', async () => {
    put('Exhausted', LOG);
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain('data-copy="curl" hidden>Copy as curl');
    const [, curl = ''] = /<code id="curl">(.*?)<\/code>/s.exec(text) ?? [];
    expect(decoded(curl)).to.contain("WEBHOOK_URL='https://RECEIVER'").and.contain('whsec_SIGNING_SECRET');
    expect(decoded(curl)).to.contain(String.raw`it'\''s $HOME`);
  });

  it('resends with the rights of an editor, and says what a viewer lacks', async () => {
    put('Exhausted', LOG);
    const { text } = await project.ada.get(PATH);
    expect(text).to.contain(`name="job" value="${NAME}" class="primary">Resend`);
    const { text: viewed } = await project.viewer.get(PATH);
    expect(viewed).to.contain('not allowed to patch zipjobs').and.not.contain(`value="${NAME}"`);
    put('Delivered', LOG);
    expect((await project.ada.get(PATH)).text).to.contain(`name="job" value="${NAME}">Resend`);
  });

  it('is not there for a job that was not sent, does not exist, or that the user may not read', async () => {
    put('Pending', []);
    const unsent = await project.ada.get(PATH);
    expect([unsent.status, unsent.text]).to.deep.include(404);
    expect(unsent.text).to.contain('has not been sent');
    expect((await project.ada.get(`${HOME}/webhook/deliveries/none`)).status).to.equal(404);
    project.server.tokens.set(VIEW, { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    const refused = new KubeError('no', { attempt: 'GET /x', code: 'Forbidden', httpStatus: 403 });
    project.objects.fail(refused, ({ path }) => path.startsWith(COLLECTIONS.zipJobs));
    expect((await project.viewer.get(PATH)).status).to.equal(403);
  });
});
