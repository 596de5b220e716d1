import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import { CALLER_OPTIONS } from '#crds/caller-options.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import {
  COLLECTIONS,
  type DashboardProject,
  HOME,
  startDashboardProject,
  TEAM,
  VIEW,
} from '#test/support/worlds/dashboard-project.ts';

const SETTINGS = `${HOME}/settings`;
const OBJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;
const BINDINGS = `/apis/rbac.authorization.k8s.io/v1/namespaces/${TEAM}/rolebindings`;
const CLASS_LIMITS = {
  requestsPerMinute: 0,
  createsPerSecond: 10,
  filesPerSecond: 2_000,
  activeJobs: 50,
  filesPerJob: 10_000,
  storedJobs: 40_000,
  storedBytes: 536_870_912,
};
const STATUS = { class: { name: 'large', limits: CLASS_LIMITS } } satisfies ZipProject['status'];

function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function rowOf(html: string, label: string): string {
  const rows = [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => textOf(row));
  return rows.find((row) => row.startsWith(`${label} `)) ?? '';
}

describe('the settings pages', () => {
  let project: DashboardProject;
  beforeEach(async () => {
    project = await startDashboardProject();
  });
  afterEach(() => project[Symbol.asyncDispose]());

  function spec(): Readonly<Record<string, unknown>> {
    const found = project.objects.get(OBJECT)?.['spec'];
    return isRecord(found) ? found : {};
  }
  function put(given: ZipProject['spec']): void {
    project.putProject(given, { status: STATUS });
  }
  async function versionOn(path: string): Promise<string> {
    return /name="version" value="([^"]+)"/.exec((await project.ada.get(path)).text)?.[1] ?? 'no version';
  }
  function save(slug: string, fields: Readonly<Record<string, string>>) {
    return project.save(`${SETTINGS}/${slug}`, fields);
  }

  it('show the limits in force, those of the class and the project, and why one has no effect (Q-U23)', async () => {
    put({ limits: { activeJobs: 5, filesPerJob: 20_000 } });
    const { status, text } = await project.viewer.get(SETTINGS);
    expect(status).to.equal(200);
    expect(textOf(text)).to.contain('The class of this project is large');
    expect(text).to.match(/>Limit<.*>Used<.*>Current<.*>Class maximum<.*>Project limit</s);
    expect(rowOf(text, 'Active jobs')).to.equal('Active jobs 0 of 5 5 50 5');
    expect(rowOf(text, 'Files per job')).to.equal(
      'Files per job 10,000 10,000 10,000 20,000 no effect, above the class',
    );
    expect(rowOf(text, 'Requests per minute')).to.equal('Requests per minute No limit No limit No limit –');
    expect(rowOf(text, 'Stored bytes')).to.equal('Stored bytes 0 B of 512 MiB 512 MiB 512 MiB –');
  });

  it('show a meter of every limit that something uses up, for users who may list jobs (Q-U24)', async () => {
    put({ limits: { activeJobs: 2 } });
    const annotations = { [ANNOTATIONS.fileListBytes]: String(3 * 1_024 * 1_024) };
    for (const [name, phase] of [
      ['a', 'Running'],
      ['b', 'Starting'],
      ['c', 'Succeeded'],
    ] as const)
      project.server.zipJobs.put(
        aZipJob({ metadata: { namespace: TEAM, name, annotations }, status: { phase } }),
      );
    const { text } = await project.viewer.get(SETTINGS);
    expect(rowOf(text, 'Active jobs')).to.match(/^Active jobs 2 of 2 /);
    expect(rowOf(text, 'Stored jobs')).to.match(/^Stored jobs 3 of 40,000 /);
    expect(rowOf(text, 'Stored bytes')).to.match(/^Stored bytes 9\.0 MiB of 512 MiB /);
    expect(text).to.contain(
      '<progress class="meter bad" value="2" max="2" aria-label="Used of active jobs">',
    );
    expect(text.match(/<progress/g)).to.have.lengthOf(3);
    project.server.tokens.set(VIEW, { name: 'vera', allowed: [`get zipprojects ${TEAM}`] });
    expect((await project.viewer.get(SETTINGS)).text).to.not.contain('<progress');
  });

  it('have a side navigation to every section, and what cannot be undone apart (Q-U23)', async () => {
    const { text } = await project.ada.get(SETTINGS);
    const [, nav = ''] = /<nav class="parts"[^>]*>(.*?)<\/nav>/s.exec(text) ?? [];
    const ids = [...nav.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id);
    const headings = [...text.matchAll(/<h2 id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).to.deep.equal(headings).and.include('danger');
    const [, zone = ''] = /<section[^>]* class="danger-zone">(.*?)<\/section>/s.exec(text) ?? [];
    expect(zone).to.contain('Delete project…').and.contain(`href="${SETTINGS}/delete"`);
    expect(text.split('class="button danger"')).to.have.lengthOf(2);
  });

  it('show what is not known before the controller has reported the class', async () => {
    const { text } = await project.ada.get(SETTINGS);
    expect(textOf(text)).to.contain('has not reported the class');
    expect(rowOf(text, 'Active jobs')).to.equal('Active jobs 0 Not reported yet Not reported yet –');
  });

  it('are readable with the view role, which allows no changes', async () => {
    put({ displayName: 'Team A', jobDefaults: { compression: 'auto' } });
    const { text } = await project.viewer.get(SETTINGS);
    expect(text).to.contain('Team A').and.contain('not allowed to patch zipprojects');
    expect(text).to.contain('is not allowed to delete zipprojects').and.not.contain(`href="${SETTINGS}/`);
    for (const slug of ['general', 'limits', 'job-defaults', 'caller-options', 'retention', 'delete'])
      expect((await project.viewer.get(`${SETTINGS}/${slug}`)).status, slug).to.equal(403);
  });

  it('change the display name, and remove it', async () => {
    put({ displayName: 'Old', limits: { activeJobs: 5 } });
    const response = await save('general', { displayName: ' New name ' });
    expect(response.headers.get('location')).to.equal(SETTINGS);
    expect((await project.ada.get(SETTINGS)).text).to.contain('Display name saved');
    expect(spec()).to.deep.equal({ displayName: 'New name', limits: { activeJobs: 5 } });
    await save('general', { displayName: '' });
    expect(spec()).to.deep.equal({ limits: { activeJobs: 5 } });
    const long = await save('general', { displayName: 'x'.repeat(129) });
    expect(long.status).to.equal(422);
    expect(long.text).to.contain('id="displayName-error"');
  });

  it('lower limits, and refuse more than the class allows at the field', async () => {
    put({ limits: { filesPerJob: 20_000 } });
    const first = await save('limits', { activeJobs: '7', filesPerJob: '20000', storedBytes: '256 MiB' });
    expect(first.status).to.equal(303);
    expect(spec()).to.deep.equal({
      limits: { activeJobs: 7, filesPerJob: 20_000, storedBytes: 268_435_456 },
    });
    const { text: form } = await project.ada.get(`${SETTINGS}/limits`);
    expect(form).to.contain('value="256 MiB"').and.contain('The class allows: 50.');
    const high = await save('limits', { activeJobs: '51' });
    expect(high.status).to.equal(422);
    expect(high.text).to.match(/id="activeJobs-error">Active jobs: the class large allows at most 50\./);
    expect(high.text).to.contain('value="51"');
    const none = await save('limits', { activeJobs: '', requestsPerMinute: '99' });
    expect(none.status).to.equal(303);
    expect(spec()).to.deep.equal({ limits: { requestsPerMinute: 99 } });
    await save('limits', {});
    expect(spec()).to.deep.equal({});
  });

  it('change job defaults without touching what was not changed', async () => {
    const metadata = { 'a-b': '1=2', c: 'd' };
    const tags = { 'x=y': 'z' };
    const jobDefaults = {
      compression: 'auto',
      sha256: false,
      ttlSecondsAfterFinished: { failed: 86_400 },
      objectOptions: { metadata, tags, storageClass: 'STANDARD_IA' },
    };
    put({ jobDefaults });
    expect((await project.ada.get(SETTINGS)).text)
      .to.contain('<bdi>1 day</bdi>')
      .and.contain('a-b=1=2, c=d');
    const values = {
      compression: 'auto',
      sha256: 'false',
      failed: '86400',
      storageClass: 'STANDARD_IA',
      metadata: 'a-b=1=2\r\nc=d',
      tags: 'x=y=z',
    };
    await save('job-defaults', values);
    expect(spec()).to.deep.equal({ jobDefaults });
    await save('job-defaults', {
      ...values,
      compression: '',
      sha256: 'true',
      maxAttempts: '3',
      failed: '',
      metadata: 'c=e',
    });
    expect(spec()).to.deep.equal({
      jobDefaults: {
        sha256: true,
        maxAttempts: 3,
        objectOptions: { metadata: { c: 'e' }, tags, storageClass: 'STANDARD_IA' },
      },
    });
    await save('job-defaults', {});
    expect(spec()).to.deep.equal({});
  });

  it('have one form of options in groups, with words and units (Q-U22)', async () => {
    put({ jobDefaults: { onSourceError: 'Skip', activeDeadlineSeconds: 5_400 } });
    const { text } = await project.ada.get(`${SETTINGS}/job-defaults`);
    expect([...text.matchAll(/<legend>([^<]+)/g)].map(([, legend]) => legend)).to.deep.equal([
      'Content',
      'Failures',
      'Time limits',
      'Object',
    ]);
    expect(text).to.contain('<option value="">Default: fail the job</option>');
    expect(text).to.contain('<option value="Skip" selected>Skip failed files</option>');
    expect(text).to.contain('value="90 min"').and.contain('From 1 min to 1 day.');
    expect(text).to.not.match(/in seconds|Not set/);
    const saved = await save('job-defaults', { onSourceError: 'Skip', failed: '2 weeks' });
    expect(saved.status).to.equal(303);
    expect(spec()).to.deep.equal({
      jobDefaults: { onSourceError: 'Skip', ttlSecondsAfterFinished: { failed: 1_209_600 } },
    });
  });

  it('keep a value that only a newer version knows', async () => {
    put({ jobDefaults: { compression: 'zstd' } });
    expect((await project.ada.get(`${SETTINGS}/job-defaults`)).text).to.contain(
      '<option value="zstd" selected>zstd</option>',
    );
  });

  it('show errors of job defaults at their field', async () => {
    for (const [field, value, message] of [
      ['maxAttempts', 'many', 'Attempts: use a whole number'],
      ['maxAttempts', '11', 'Attempts: from 1 to 10'],
      ['activeDeadlineSeconds', '2 days', 'Time limit of a job: from 1 min to 1 day'],
      ['startDeadlineSeconds', 'soon', 'Time limit of the start: use a number and a unit'],
      ['metadata', 'no-value', 'Metadata of archives: use one name=value per line'],
      ['metadata', 'a=1\na=2', 'Metadata of archives: the name a is repeated'],
      ['metadata', 'zip-x=1', 'Metadata of archives has a name that starts with'],
      ['contentType', 'text/html', 'Content-Type of archives must be application/zip'],
    ] as const) {
      const { status, text } = await save('job-defaults', { [field]: value });
      expect(status, field).to.equal(422);
      expect(text, field).to.contain(`id="${field}-error">${message}`);
    }
    expect(spec()).to.deep.equal({});
  });

  it('show errors of the API server at their field', async () => {
    const version = await versionOn(`${SETTINGS}/job-defaults`);
    const message = "should match '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$'";
    project.objects.fail(
      new KubeError('no', {
        attempt: 'PATCH /x',
        code: 'Invalid',
        httpStatus: 422,
        causes: [{ field: 'spec.jobDefaults.queueName', message }],
      }),
      ({ method }) => method === 'PATCH',
    );
    const { status, text } = await project.send(`${SETTINGS}/job-defaults`, {
      version,
      queueName: 'A queue',
    });
    expect(status).to.equal(422);
    expect(text).to.contain('id="queueName-error">Kueue queue should match');
  });

  it('let callers change what has a tick, and store what has none (Q-U36)', async () => {
    const path = `${SETTINGS}/caller-options`;
    function send(...open: readonly string[]) {
      return project.save(
        path,
        new URLSearchParams(open.map((option): [string, string] => ['open', option])),
      );
    }
    function without(...closed: readonly string[]) {
      return CALLER_OPTIONS.filter((option) => !closed.includes(option));
    }
    await send(...without('compression', 'object.tags'), 'nonsense');
    expect(spec()).to.deep.equal({ callerOptions: { closed: ['compression', 'object.tags'] } });
    const { text } = await project.ada.get(path);
    expect(text)
      .to.match(/value="sha256" checked/)
      .and.not.match(/value="object\.tags" checked/);
    expect(text).to.contain('<legend>Callers may change</legend>');
    expect(textOf(text)).to.contain('Compression compression: auto, store, deflate');
    const settings = textOf((await project.viewer.get(SETTINGS)).text);
    expect(settings)
      .to.contain('Closed: Compression compression: auto, store, deflate')
      .and.contain('Closed: Tags of archives object.tags')
      .and.contain('May change: SHA-256 of the archive sha256');
    await send(...CALLER_OPTIONS);
    expect(spec()).to.deep.equal({});
    await send();
    expect(spec()).to.deep.equal({ callerOptions: { closed: [...CALLER_OPTIONS] } });
  });

  it('keep a closed option that only a newer version knows (Q-U36)', async () => {
    project.putProject({ callerOptions: { closed: ['of_newer_version' as 'sha256', 'sha256'] } });
    expect(textOf((await project.ada.get(SETTINGS)).text)).to.contain('Closed: of_newer_version');
    await project.save(
      `${SETTINGS}/caller-options`,
      new URLSearchParams(CALLER_OPTIONS.map((option): [string, string] => ['open', option])),
    );
    expect(spec()).to.deep.equal({ callerOptions: { closed: ['of_newer_version'] } });
  });

  it('lower the retention only after a confirmation, because records are lost', async () => {
    const first = await save('retention', { historyRetentionDays: '30' });
    expect(first.status).to.equal(422);
    expect(first.text).to.contain('id="confirm-error">Confirm that records older than 30 days are deleted');
    await save('retention', { historyRetentionDays: '30', confirm: 'yes' });
    expect(spec()).to.deep.equal({ historyRetentionDays: 30 });
    expect((await save('retention', { historyRetentionDays: '40' })).status).to.equal(303);
    expect((await save('retention', { historyRetentionDays: '39' })).status).to.equal(422);
    await save('retention', { historyRetentionDays: '' });
    expect(spec()).to.deep.equal({});
  });

  it('keep the entered values after a change by someone else, and show the current ones', async () => {
    put({ limits: { activeJobs: 5, filesPerJob: 100 } });
    const version = await versionOn(`${SETTINGS}/limits`);
    put({ limits: { activeJobs: 6, filesPerJob: 100 }, displayName: 'New' });
    const { status, text } = await project.send(`${SETTINGS}/limits`, {
      version,
      activeJobs: '7',
      filesPerJob: '100',
    });
    expect(status).to.equal(422);
    expect(text).to.contain('Someone else changed these settings');
    expect(text).to.contain('id="activeJobs-error">Active jobs is now: 6').and.contain('value="7"');
    expect(text).to.not.contain('filesPerJob-error');
    const [, current = ''] = /name="version" value="([^"]+)"/.exec(text) ?? [];
    await project.send(`${SETTINGS}/limits`, { version: current, activeJobs: '7', filesPerJob: '100' });
    expect(spec()).to.deep.equal({ limits: { activeJobs: 7, filesPerJob: 100 }, displayName: 'New' });
  });

  it('save over a change of another part, which is kept', async () => {
    put({ limits: { activeJobs: 5 } });
    const version = await versionOn(`${SETTINGS}/limits`);
    put({ limits: { activeJobs: 5 }, displayName: 'New', webhook: { url: 'https://a.example/' } });
    await project.send(`${SETTINGS}/limits`, { version, activeJobs: '4' });
    expect(spec()).to.deep.equal({
      limits: { activeJobs: 4 },
      displayName: 'New',
      webhook: { url: 'https://a.example/' },
    });
  });

  describe('who has access', () => {
    const binding = {
      metadata: { namespace: TEAM, name: 'admins' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'User', name: '<b>ada' }],
    };

    it('is listed for users who may list role bindings', async () => {
      project.objects.put(BINDINGS, binding);
      const { text } = await project.ada.get(SETTINGS);
      expect(rowOf(text, '&lt;b&gt;ada')).to.match(/^&lt;b&gt;ada User admin Change settings.* admins$/);
    });

    it('is locked for others, who send no request for it', async () => {
      project.objects.put(BINDINGS, binding);
      const { text } = await project.viewer.get(SETTINGS);
      expect(text).to.contain('>Your Kubernetes account is not allowed to list rolebindings');
      expect(text).to.not.contain('ada User');
      expect(project.server.requests.filter(({ path }) => path === BINDINGS)).to.deep.equal([]);
    });
  });
});
