/** The command line deletes the records of one project from a real PostgreSQL, through the installed controller. */
import { expect } from 'chai';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { postJob } from '#test/support/clients/api-client.ts';
import { type CommandLine, createCommandLine } from '#test/support/processes/command-line.ts';
import { installChart } from '#test/support/processes/installation.ts';
import { requirePostgres } from '#test/support/processes/require-programs.ts';
import { type FileOrigin, startFileOrigin } from '#test/support/servers/file-origin.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import {
  type HistoryInstallation,
  startHistoryInstallation,
} from '#test/support/worlds/history-installation.ts';
import { createProject, type Project } from '#test/support/worlds/project.ts';

const PURGED = 'history-purge';
const KEPT = 'history-purge-other';

describe('zipjobs project purge', function () {
  this.timeout(240_000);
  const life = new AsyncDisposableStack();
  let installation: HistoryInstallation;
  let commandLine: CommandLine;
  let origin: FileOrigin;
  let baseUrl: string;
  let purged: Project;
  let kept: Project;

  before(async function () {
    await requirePostgres(this);
    installation = life.use(await startHistoryInstallation());
    await installation.applySecret();
    const settings = { ARCHIVE_RETRY_SECONDS: 1, ARCHIVE_BATCH_WAIT_MS: 1 };
    const { cluster, values } = installation;
    baseUrl = await (
      await installChart(cluster, { ...values, controller: { replicas: 1, settings } })
    ).apiUrl();
    commandLine = createCommandLine({ kubeconfig: cluster.kubeconfigPath });
    origin = life.use(await startFileOrigin());
    const open = async (namespace: string): Promise<Project> => {
      const project = life.use(await createProject(cluster, { namespace }));
      life.defer(async () => {
        await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
      });
      await untilTokenKnown(baseUrl, project.token);
      return project;
    };
    purged = await open(PURGED);
    kept = await open(KEPT);
  });
  after(() => life.disposeAsync());

  const archive = async (project: Project, key: string): Promise<string> => {
    const uuid = await postJob(baseUrl, project.token, {
      bucket_name: project.bucketName,
      key: `${key}.zip`,
      urls: [{ url: origin.url('/gen/1000/1'), filename: 'a' }],
    });
    const isArchived = async (): Promise<boolean> =>
      findCondition((await project.zipJob(uuid)).status?.conditions, 'Archived')?.status === 'True';
    await until(`${uuid} to be archived`, isArchived, { limitMs: 90_000 });
    return uuid;
  };
  const recorded = async (namespace: string): Promise<readonly string[]> => {
    await using reader = await installation.openAs('reader');
    const text = 'SELECT key FROM zipjobs.jobs WHERE namespace = $1 ORDER BY finished_at';
    const { rows } = await reader.query<{ key: string }>(text, [namespace]);
    return rows.map(({ key }) => key);
  };
  const kubectl = async (args: readonly string[]): Promise<string> =>
    (await installation.cluster.kubectl([...args, '-n', PURGED])).stdout;
  const projectNow = async (): Promise<ZipProject> =>
    JSON.parse(await kubectl(['get', 'zipproject', PROJECT_NAME, '-o', 'json'])) as ZipProject;
  const purge = ['project', 'purge', PURGED, '--yes', '--timeout', '60'];

  it('deletes the records of this project only, keeps its ZipJobs, and records later jobs (G9)', async () => {
    const uuid = await archive(purged, 'before');
    await archive(kept, 'other');
    // The job and its hour of usage.
    expect(await commandLine.json(purge)).to.include({ namespace: PURGED, records: 2 });
    expect([await recorded(PURGED), await recorded(KEPT)]).to.deep.equal([[], ['other.zip']]);
    expect((await purged.zipJob(uuid)).status?.phase).to.equal('Succeeded');
    const { metadata, status } = await projectNow();
    expect(findCondition(status?.conditions, 'HistoryPurged')?.status).to.equal('True');
    expect(status?.historyPurge?.nonce).to.equal(metadata.annotations?.[ANNOTATIONS.purgeHistory]);
    expect(findCondition(status?.conditions, 'Ready')?.status).to.equal('True');
    await until('the Event', async () =>
      (await kubectl(['get', 'events', '-o', 'jsonpath={.items[*].reason}'])).includes('HistoryPurged'),
    );
    await archive(purged, 'after');
    expect(await recorded(PURGED)).to.deep.equal(['after.zip']);
  });

  it('waits for a database that is away, says so, and deletes after its return (G8)', async () => {
    await archive(purged, 'away');
    await installation.server.kill();
    const { exitCode, stderr } = await commandLine.run([...purge.slice(0, -1), '3']);
    expect(exitCode, stderr).to.equal(6);
    const hasReason = async (reason: string): Promise<boolean> =>
      findCondition((await projectNow()).status?.conditions, 'HistoryPurged')?.reason === reason;
    await until('the condition to say so', () => hasReason('HistoryUnavailable'), { limitMs: 60_000 });
    await installation.server.start();
    await until('the end of the purge', () => hasReason('HistoryPurged'), { limitMs: 60_000 });
    expect(await recorded(PURGED)).to.deep.equal([]);
  });
});
