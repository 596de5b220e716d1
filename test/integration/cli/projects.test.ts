/** `zipjobs project`, and the errors when the cluster cannot be reached. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { createCommandLine } from '#test/support/processes/command-line.ts';
import { until } from '#test/support/until.ts';
import {
  type CommandLineWorld,
  permissionDenied,
  startCommandLineWorld,
  UNCONFIRMED,
} from '#test/support/worlds/command-line-world.ts';

const NEW = 'cli-projects-new';

type Fields = Readonly<Record<string, unknown>>;

describe('the command line', function () {
  this.timeout(300_000);
  let world: CommandLineWorld;
  before(async () => {
    world = await startCommandLineWorld('cli-projects');
  });
  after(() => world[Symbol.asyncDispose]());

  describe('zipjobs project', () => {
    it('creates a project in an existing namespace and waits until it is ready', async () => {
      const { stdout, stderr } = await world.owner.succeed([
        'project',
        'create',
        world.own,
        '--display-name',
        'Own',
        '--active-jobs',
        '4',
      ]);
      expect(stdout)
        .to.match(/^Namespace: +cli-projects\n/)
        .and.to.match(/State: +Ready\n/);
      expect(stderr).to.contain(`zipjobs bucket create BUCKET -n ${world.own}`);
      expect(await world.owner.json(['project', 'show', world.own])).to.deep.include({
        namespace: world.own,
        displayName: 'Own',
        deletingSince: null,
        limits: {
          activeJobs: 4,
          filesPerJob: null,
          archiveBytes: null,
          requestsPerMinute: null,
          createsPerSecond: null,
          filesPerSecond: null,
          storedJobs: null,
          storedBytes: null,
        },
      });
    });

    it('updates only the given fields', async () => {
      function update(...change: readonly string[]) {
        return world.owner.json(['project', 'update', world.own, ...change]);
      }
      expect(await update('--active-jobs', '7', '--files-per-job', '500')).to.deep.include({
        displayName: 'Own',
        limits: {
          activeJobs: 7,
          filesPerJob: 500,
          archiveBytes: null,
          requestsPerMinute: null,
          createsPerSecond: null,
          filesPerSecond: null,
          storedJobs: null,
          storedBytes: null,
        },
      });
      expect(
        await update('--active-jobs', 'none', '--requests-per-minute', '90', '--display-name', ''),
      ).to.deep.include({
        displayName: null,
        limits: {
          activeJobs: null,
          filesPerJob: 500,
          archiveBytes: null,
          requestsPerMinute: 90,
          createsPerSecond: null,
          filesPerSecond: null,
          storedJobs: null,
          storedBytes: null,
        },
      });
      const { stdout } = await world.owner.succeed(['project', 'update', world.own, '--display-name', 'Own']);
      expect(stdout)
        .to.match(/Name: +Own\n/)
        .and.to.match(/Max files per job: +500 \(of the class: 10000\)\n/);
      const completed = await world.platform.succeed([
        '--get-yargs-completions',
        'zipjobs',
        'project',
        'update',
        world.own.slice(0, -1),
      ]);
      expect(completed.stdout.split('\n')).to.include(world.own);
    });

    it('creates a project with its namespace for a user with that permission, and deletes it', async () => {
      await world.platform.succeed(['project', 'create', NEW, '--create-namespace']);
      const namespace = JSON.parse(
        (await world.flow.cluster.kubectl(['get', 'namespace', NEW, '-o', 'json'])).stdout,
      ) as { metadata: { labels: Fields } };
      expect(namespace.metadata.labels).to.include({ 'pod-security.kubernetes.io/enforce': 'restricted' });
      await world.refused(world.platform, ['project', 'delete', NEW], {
        code: 2,
        says: `Delete project "${NEW}" and cancel its jobs? Its access tokens stop working. ${UNCONFIRMED}`,
      });
      expect(await world.platform.json(['project', 'delete', NEW, '--yes'])).to.deep.equal({
        namespace: NEW,
        deleted: true,
        gone: false,
        tokens: 0,
        buckets: 0,
        problems: [],
      });
      await until('the project to be gone', async () => {
        return (await world.platform.run(['project', 'show', NEW])).exitCode === 4;
      });
    });

    it('lists the projects that the user can see', async () => {
      const all = (await world.platform.json(['project', 'list'])) as readonly Fields[];
      expect(all.map(({ namespace }) => namespace)).to.include.members([world.own, world.other]);
      const { stdout, stderr } = await world.owner.succeed(world.inOwn('project', 'list'));
      expect(stdout).to.match(/^PROJECT +NAME +STATE +CREATED\ncli-projects +Own +Ready +2/);
      expect(stdout).not.to.contain(world.other);
      expect(stderr).to.contain(`Only these namespaces were searched: ${world.own}`);
    });

    it('prints what to do after an error', async () => {
      await world.refused(world.owner, ['project', 'create', world.own], {
        code: 3,
        says: `A project already exists in namespace "${world.own}". Use it, or choose another namespace`,
      });
      await world.refused(world.owner, ['project', 'create', NEW], {
        code: 3,
        says: permissionDenied(
          'olivia',
          ['create', 'zipprojects.zipjobs.dev'],
          'in namespace cli-projects-new',
        ),
      });
      await world.refused(world.owner, ['project', 'create', NEW, '--create-namespace'], {
        code: 3,
        says: permissionDenied('olivia', ['create', 'namespaces'], 'at the cluster scope'),
      });
      await world.refused(world.platform, ['project', 'create', 'nowhere-at-all'], {
        code: 4,
        says: 'Cannot create a project: namespace "nowhere-at-all" not found. Create it along with the project (--create-namespace), or use an existing namespace',
      });
      await world.refused(world.owner, ['project', 'create', 'Not_A_Name'], {
        code: 2,
        says: 'Invalid namespace "Not_A_Name". Use 1 to 63 lowercase letters, digits and "-", with a letter or digit at both ends',
      });
      await world.refused(world.owner, ['project', 'update', world.other, '--active-jobs', '3'], {
        code: 3,
        says: permissionDenied(
          'olivia',
          ['patch', 'zipprojects.zipjobs.dev'],
          'in namespace cli-projects-other',
        ),
      });
      await world.refused(world.platform, ['project', 'show', 'default'], {
        code: 4,
        says: 'No project found in namespace "default". Create one with: zipjobs project create default, or set another namespace with -n',
      });
    });
  });

  describe('zipjobs', () => {
    it('prints what to do without a cluster, without a response, and without permissions', async () => {
      const nobody = createCommandLine({ kubeconfig: '' });
      await world.refused(nobody, ['project', 'list'], {
        code: 5,
        says: 'No cluster configured: no kubeconfig found. Pass one with --kubeconfig or KUBECONFIG, or create ~/.kube/config',
      });
      await world.refused(nobody, ['project', 'list', '--kubeconfig', '/nonexistent/config'], {
        code: 5,
        says: /\/nonexistent\/config .*cannot be read/,
      });
      await world.refused(world.owner, ['project', 'list', '--context', 'moon'], {
        code: 5,
        says: /no context 'moon'; it has: /,
      });
      const stranger = createCommandLine({
        kubeconfig: await world.flow.cluster.kubeconfigFor({ token: 'nobody-knows-me' }),
      });
      await world.refused(stranger, world.inOwn('project', 'show'), {
        code: 5,
        says: 'The API server rejected your credentials. Sign in again, or check the user of your kubeconfig',
      });
      const gone = join(world.flow.cluster.dir, 'gone.kubeconfig');
      await writeFile(
        gone,
        JSON.stringify({
          'current-context': 'a',
          contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
          clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
          users: [{ name: 'a', user: { token: 't' } }],
        }),
      );
      await world.refused(createCommandLine({ kubeconfig: gone }), ['project', 'show'], {
        code: 5,
        says: /ECONNREFUSED.*Check the cluster address and the network, then try again/,
      });
    });
  });
});
