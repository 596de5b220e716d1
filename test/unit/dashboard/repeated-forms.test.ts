import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import type { ZipJob } from '#crds/zip-job.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { unchangedForm } from '#test/support/clients/html-form.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
} from '#test/support/worlds/dashboard-project.ts';

/** A double click, or a reload of the response. */
describe('a form that is sent twice', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function created(collection: string): readonly unknown[] {
    return project.server.requests
      .filter(({ method, path }) => method === 'POST' && path === collection)
      .map(({ body }) => body)
      .filter((body, index, all) => {
        function name(each: unknown): unknown {
          return (each as ZipJob).metadata.name;
        }
        return all.findIndex((other) => name(other) === name(body)) === index;
      });
  }
  async function twice(page: string, action: string, fields: Readonly<Record<string, string>> = {}) {
    const form = unchangedForm((await project.ada.get(page)).text, action);
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    return Promise.all([project.ada.post(action, form), project.ada.post(action, form)]);
  }

  function currentSecret(key = 'current'): string {
    const stored = project.objects.get(`${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`);
    const { data = {} } = RESOURCES.secrets.decode(stored);
    return Buffer.from(String(data[key]), 'base64').toString();
  }

  it('runs a job again once, and both responses lead to the new job (UI10)', async () => {
    for (const name of ['zip-6f1c0f4e-0000-4000-8000-000000000001', 'nightly']) {
      const job = aZipJob({ metadata: { namespace: TEAM, name }, status: { phase: 'Failed' } });
      project.objects.put(COLLECTIONS.zipJobs, job);
      const page = `${HOME}/jobs/${name}`;
      const before = created(COLLECTIONS.zipJobs).length;
      const responses = await twice(page, `${page}/run-again`);
      expect(created(COLLECTIONS.zipJobs)).to.have.lengthOf(before + 1);
      const again = RESOURCES.zipJobs.decode(created(COLLECTIONS.zipJobs).at(-1));
      expect(again.metadata.annotations).to.include({ [ANNOTATIONS.runAgainOf]: name });
      expect(responses.map(({ status, headers }) => [status, headers.get('location')])).to.deep.equal([
        [303, `${HOME}/jobs/${again.metadata.name}`],
        [303, `${HOME}/jobs/${again.metadata.name}`],
      ]);
      await twice(page, `${page}/run-again`);
      expect(created(COLLECTIONS.zipJobs)).to.have.lengthOf(before + 2);
    }
  });

  it('creates one access token, and says what to do if its value was not seen (UI10)', async () => {
    const path = `${HOME}/new-token`;
    const [first, second] = await twice(path, path, { name: 'ci' });
    expect(created(COLLECTIONS.tokens)).to.have.lengthOf(1);
    const { name } = (created(COLLECTIONS.tokens)[0] as ZipJob).metadata;
    const [shown, refused] = first.status === 200 ? [first, second] : [second, first];
    expect([shown.status, refused.status]).to.deep.equal([200, 422]);
    expect(refused.text).to.contain(name).and.contain('revoke');
    const form = unchangedForm(refused.text, path);
    expect((await project.ada.post(path, form)).status).to.equal(200);
    expect(created(COLLECTIONS.tokens)).to.have.lengthOf(2);
  });

  it('shows the signing secret of a new webhook in each response (UI10)', async () => {
    const path = `${HOME}/webhook`;
    const form = unchangedForm((await project.ada.get(path)).text, path);
    form.set('url', 'https://hooks.example.com/');
    function send() {
      return project.ada.post(path, form);
    }
    const responses = [...(await Promise.all([send(), send()])), await send()];
    const secret = currentSecret();
    for (const { status, text } of responses) {
      expect(status).to.equal(200);
      expect(text).to.contain(secret);
    }
    // Not to another form.
    const other = await project.save(path, { url: '', events: 'FAILED' });
    expect(other.headers.get('location')).to.equal(path);
  });

  it('adds one endpoint, and shows its signing secret in each response (UI10)', async () => {
    const path = `${HOME}/webhook/new-endpoint`;
    project.putProject({ webhook: { url: 'https://hooks.example.com/' } });
    await project.save(`${HOME}/webhook`, { url: '', events: 'FAILED' });
    const form = unchangedForm((await project.ada.get(path)).text, path);
    form.set('endpoint', 'audit');
    form.set('url', 'https://audit.example.com/');
    function send() {
      return project.ada.post(path, form);
    }
    const responses = [...(await Promise.all([send(), send()])), await send()];
    const secret = currentSecret('audit.current');
    for (const { status, text } of responses) {
      expect(status).to.equal(200);
      expect(text).to.contain(secret);
    }
    const stored = RESOURCES.zipProjects.decode(
      project.objects.get(`${COLLECTIONS.projects}/${PROJECT_NAME}`),
    );
    expect(stored.spec.webhook?.endpoints).to.deep.equal([
      { name: 'audit', events: ['COMPLETED', 'FAILED'] },
    ]);
    // Not to another form.
    form.set('form', '00000000-0000-4000-8000-000000000001');
    const other = await project.ada.post(path, form);
    expect([other.status, currentSecret('audit.current')]).to.deep.equal([422, secret]);
    expect(other.text).to.not.contain(secret);
  });

  it('shows the signing secret of a new webhook although its first save failed half way (UI10)', async () => {
    const path = `${HOME}/webhook`;
    const form = unchangedForm((await project.ada.get(path)).text, path);
    form.set('url', 'https://hooks.example.com/');
    let isAway = true;
    const error = new KubeError('500 InternalError', {
      attempt: 'PATCH /x',
      code: 'ServerError',
      httpStatus: 500,
    });
    project.objects.fail(
      error,
      (request) => isAway && request.method === 'PATCH' && request.path.startsWith(COLLECTIONS.projects),
    );
    const failed = await project.ada.post(path, form);
    expect([failed.status, failed.text]).to.deep.include(503);
    expect(failed.text).to.contain('may have been processed').and.not.contain('hooks.example.com');
    isAway = false;
    const asked = await project.ada.post(path, unchangedForm(failed.text, path));
    expect([asked.status, asked.text]).to.deep.include(422);
    expect(asked.text).to.contain('Enter the URL again');
    const again = unchangedForm(asked.text, path);
    again.set('url', 'https://hooks.example.com/');
    const { status, text } = await project.ada.post(path, again);
    expect(status).to.equal(200);
    expect(text).to.contain(currentSecret());
  });

  it('keeps the signing secret that receivers have valid, and shows the current one (UI10)', async () => {
    function encoded(text: string): string {
      return Buffer.from(text).toString('base64');
    }
    const secret = `${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`;
    const put = {
      metadata: { namespace: TEAM, name: WEBHOOK_SECRET_NAME },
      data: { current: encoded('original') },
    };
    project.objects.put(COLLECTIONS.secrets, put);
    const path = `${HOME}/webhook/rotate-secret`;
    const form = unchangedForm((await project.ada.get(path)).text, path);
    await project.ada.post(path, form);
    const { text } = await project.ada.post(path, form);
    const { data = {} } = RESOURCES.secrets.decode(project.objects.get(secret));
    expect(data['previous']).to.equal(encoded('original'));
    expect(text).to.contain(Buffer.from(String(data['current']), 'base64').toString());
    await project.ada.post(path, unchangedForm((await project.ada.get(path)).text, path));
    expect(RESOURCES.secrets.decode(project.objects.get(secret)).data).to.include({
      previous: data['current'],
    });
  });
});
