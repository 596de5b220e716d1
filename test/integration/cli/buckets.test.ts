/** `zipjobs bucket` with the store and the zippers of the cluster. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { ANNOTATIONS, GROUP_VERSION } from '#crds/api-group.ts';
import type { ZipBucket } from '#crds/zip-bucket.ts';
import { createCommandLine } from '#test/support/processes/command-line.ts';
import { certificatePath, certificateText } from '#test/support/servers/tls-front.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import {
  type CommandLineWorld,
  NO_CREDENTIALS,
  permissionDenied,
  startOwnProject,
  UNCONFIRMED,
} from '#test/support/worlds/command-line-world.ts';
import { applyObjects } from '#test/support/worlds/project.ts';

const BUCKET = 'cli-reports';

type Fields = Readonly<Record<string, unknown>>;

/** The command lines of one section of docs/projects.md. */
async function documentedCommands(heading: string): Promise<readonly string[]> {
  const [, after = ''] = (await readFile('docs/projects.md', 'utf8')).split(`\n${heading}\n`);
  const [section = ''] = after.split('\n### ');
  return [...section.matchAll(/^ *(zipjobs .+)$/gm)].map(([, command = '']) => command);
}

describe('the command line', function () {
  this.timeout(300_000);
  let world: CommandLineWorld;
  before(async () => {
    world = await startOwnProject('cli-buckets');
    await world.flow.cluster.createBucket(BUCKET);
  });
  after(() => world[Symbol.asyncDispose]());

  describe('zipjobs bucket', () => {
    function secretOf(bucket: string, ...flags: readonly string[]): Promise<string> {
      return world.kubectl('get', 'secret', `zipbucket-s3-${bucket}`, ...flags);
    }

    it('creates, tests and shows a bucket with credentials from the environment', async () => {
      const { stdout, stderr } = await world.owner.succeed(world.newBucket(BUCKET), {
        env: world.credentials,
      });
      expect(stdout).to.match(/Bucket: +cli-reports\n/);
      expect(stderr).to.contain(`zipjobs bucket test ${BUCKET} -n ${world.own}`);
      const tested = await world.owner.succeed(world.inOwn('bucket', 'test', BUCKET));
      expect(tested.stdout).to.match(/Last test: +ok 2/);
      const shown = (await world.owner.json(world.inOwn('bucket', 'show', BUCKET))) as Fields;
      expect(shown).to.include({ bucketName: BUCKET, service: 's3', resource: `s3-${BUCKET}`, host: null });
      expect(shown['lastTest']).to.deep.include({ ok: true, reason: 'BucketTested' });
      const owner = 'jsonpath={.metadata.ownerReferences[0].kind}';
      expect(await secretOf(BUCKET, '-o', owner)).to.equal('ZipBucket');
    });

    it('reads credentials from a file and from standard input, in the formats of other tools', async () => {
      const { accessKeyId, secretAccessKey } = world.flow.cluster.store;
      const file = join(world.flow.cluster.dir, 'credentials');
      await writeFile(
        file,
        `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      );
      await world.owner.succeed([...world.newBucket('from-file'), '--credentials-file', file]);
      const input = JSON.stringify({ accessKeyId, secretAccessKey });
      const options = '--storage-class STANDARD --server-side-encryption aws:kms --kms-key-id alias/a';
      const pairs = ['--bucket-key-enabled', '--tags', 'team=sales,a=1', '--metadata', 'm=a b'];
      await world.owner.succeed(
        [...world.newBucket('from-input'), '--credentials-file', '-', ...options.split(' '), ...pairs],
        { input },
      );
      for (const name of ['from-file', 'from-input']) {
        const stored = await secretOf(name, '-o', 'jsonpath={.data.secretAccessKey}');
        expect(atob(stored)).to.equal(secretAccessKey);
      }
      expect(await world.owner.json(world.inOwn('bucket', 'show', 'from-input'))).to.deep.include({
        objectOptions: {
          storageClass: 'STANDARD',
          serverSideEncryption: 'aws:kms',
          kmsKeyId: 'alias/a',
          bucketKeyEnabled: true,
          tags: { team: 'sales', a: '1' },
          metadata: { m: 'a b' },
        },
      });
    });

    it('trusts the authorities of --ca-file for the store of the bucket (X22)', async () => {
      const given = ['--ca-file', certificatePath('ca.pem')];
      await world.owner.succeed([...world.newBucket('with-ca'), ...given], { env: world.credentials });
      const stored = await world.kubectl('get', 'zipbucket', 's3-with-ca', '-o', 'jsonpath={.spec.caBundle}');
      expect(stored).to.equal(certificateText('ca.pem'));
    });

    it('creates an R2 bucket with all of its fields', async () => {
      const r2 = [
        '--service',
        'r2',
        '--account-id',
        '0123abcd',
        '--host',
        '0123abcd.r2.cloudflarestorage.com',
      ];
      await world.owner.succeed(world.inOwn('bucket', 'create', 'archive', '--no-test', ...r2), {
        env: world.credentials,
      });
      expect(
        await world.owner.json(world.inOwn('bucket', 'show', 'archive', '--service', 'r2')),
      ).to.deep.include({
        service: 'r2',
        host: '0123abcd.r2.cloudflarestorage.com',
        accountId: '0123abcd',
        region: null,
        lastTest: null,
        testPending: false,
      });
    });

    it('refuses object options that R2 does not support (C7)', async () => {
      const place = ['--service', 'r2', '--account-id', '0123abcd', '--host', '0123abcd.r2.example.com'];
      const bucket = world.inOwn('bucket', 'create', 'cold', ...place);
      for (const [says, ...option] of [
        ['objectOptions.tags is not supported by R2; use metadata instead', '--tags', 'a=1'],
        ['objectOptions.acl is not supported by R2; remove it', '--acl', 'private'],
      ] as const)
        await world.refused(world.owner, [...bucket, ...option], { code: 2, says, env: world.credentials });
    });

    it('lists buckets as a table, as JSON and as YAML', async () => {
      const { stdout } = await world.owner.succeed(world.inOwn('bucket', 'list'));
      expect(stdout).to.match(
        /^BUCKET +SERVICE +REGION +READABLE +CREATED +LAST TEST\narchive +r2 +- +no +20.* -\n/,
      );
      expect(stdout).to.match(/cli-reports +s3 +us-east-1 +no +20\S+ +ok 20/);
      const list = (await world.owner.json(world.inOwn('bucket', 'list'))) as readonly Fields[];
      expect(list.map(({ bucketName }) => bucketName)).to.have.members([
        'archive',
        BUCKET,
        'from-file',
        'from-input',
        'with-ca',
      ]);
      expect(
        parse((await world.owner.succeed(world.inOwn('bucket', 'list', '-o', 'yaml'))).stdout),
      ).to.deep.equal(list);
    });

    it('completes bucket names', async () => {
      // Completion gives up after three seconds and prints nothing.
      function complete(...line: readonly string[]) {
        return until('the completion to finish', async () => {
          const { stdout } = await world.platform.succeed(['--get-yargs-completions', 'zipjobs', ...line]);
          return stdout !== '' && stdout.trim().split('\n');
        });
      }
      expect(await complete('bucket', 'test', '-n', world.own, 'from-')).to.deep.equal([
        'from-file',
        'from-input',
      ]);
      expect(await complete('bucket', 'list', '-n', world.own)).to.deep.equal([world.own, world.other]);
      expect(await complete('bucket', 's')).to.include.members(['show', 'update-credentials']);
    });

    it('replaces credentials, and the test names what is wrong with them', async () => {
      const wrong = { ...world.credentials, ZIPJOBS_SECRET_ACCESS_KEY: 'of-somebody-else' };
      await world.owner.succeed(world.inOwn('bucket', 'set-credentials', BUCKET), { env: wrong });
      const { exitCode: code, stdout } = await world.owner.run(world.inOwn('bucket', 'test', BUCKET));
      expect(code).to.equal(1);
      expect(stdout)
        .to.match(/Last test: +BucketCredentialsInvalid/)
        .and.to.match(/Message: +\S+/)
        .and.to.match(/Next step: +Set valid credentials/);
      await world.owner.succeed(world.inOwn('bucket', 'set-credentials', BUCKET), { env: world.credentials });
      await world.owner.succeed(world.inOwn('bucket', 'test', BUCKET));
    });

    it('tests a new bucket from inside the cluster (Q-C20)', async () => {
      const args = world.newBucket('tested').filter((arg) => arg !== '--no-test');
      const { exitCode: code, stdout, stderr } = await world.owner.run(args, { env: world.credentials });
      // The store has no bucket of this name.
      expect(code, stderr).to.equal(1);
      expect(stdout)
        .to.match(/Last test: +Bucket\w+/)
        .and.to.match(/Next step: +\S/);
      await world.owner.succeed(world.inOwn('bucket', 'delete', 'tested', '--yes'));
    });

    it('rotates keys with the documented commands (X37)', async () => {
      const { accessKeyId, secretAccessKey } = world.flow.cluster.store;
      const file = join(world.flow.cluster.dir, 'new-key.json');
      await writeFile(file, JSON.stringify({ accessKeyId, secretAccessKey }));
      const commands = await documentedCommands('### Rotate the keys of a bucket');
      expect(commands).to.have.length(2);
      for (const command of commands) {
        const own = command
          .replace('-n acme', `-n ${world.own}`)
          .replace(' reports ', ` ${BUCKET} `)
          .replace('new-key.json', file);
        await world.owner.succeed(own.split(' ').slice(1));
      }
    });

    it('prints what to do after an error', async () => {
      const env = world.credentials;
      const cases: readonly (readonly [args: readonly string[], code: number, says: string])[] = [
        [
          world.inOwn('bucket', 'create', 'reports'),
          2,
          'Missing region: an s3 bucket requires region, such as eu-central-1',
        ],
        [
          world.inOwn('bucket', 'show', 'archive'),
          4,
          'Bucket "archive" (s3) not found in project "cli-buckets". A bucket with this name exists for service r2: set the service to r2',
        ],
        [
          world.inOwn('bucket', 'show', 'nothing-here'),
          4,
          'Bucket "nothing-here" (s3) not found in project "cli-buckets". Create it with: zipjobs bucket create nothing-here -n cli-buckets',
        ],
        [
          world.inOwn('bucket', 'delete', BUCKET),
          2,
          `Delete bucket "${BUCKET}" (s3) and its credentials from zipjobs? ${UNCONFIRMED}`,
        ],
        [
          ['bucket', 'list', '-n', 'default'],
          3,
          permissionDenied('olivia', ['get', 'zipprojects.zipjobs.dev'], 'in namespace default'),
        ],
        [
          ['bucket', 'create', 'reports', '--region', 'x', '-n', world.other],
          3,
          permissionDenied('olivia', ['create', 'zipbuckets.zipjobs.dev'], 'in namespace cli-buckets-other'),
        ],
      ];
      for (const [args, code, says] of cases) await world.refused(world.owner, args, { code, says, env });
      // It asks for credentials only if the user may create the bucket.
      await world.refused(world.owner, world.newBucket(BUCKET), {
        code: 3,
        says: `Bucket "${BUCKET}" (s3) already exists in project "cli-buckets". Update its credentials, or delete it first`,
      });
      await world.refused(world.platform, ['bucket', 'create', 'reports', '--region', 'x', '-n', 'default'], {
        code: 4,
        says: 'No project found in namespace "default". Create one with: zipjobs project create default, or set another namespace with -n',
      });
      await world.refused(world.owner, world.newBucket('reports'), {
        code: 2,
        says: NO_CREDENTIALS,
      });
    });

    it('deletes the new bucket when its credentials cannot be stored', async () => {
      const rule = { apiGroups: ['zipjobs.dev'], resources: ['zipbuckets', 'zipprojects'], verbs: ['*'] };
      await applyObjects(world.flow.cluster, [
        {
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'Role',
          metadata: { namespace: world.own, name: 'buckets-only' },
          rules: [rule],
        },
      ]);
      await world.kubectl('create', 'rolebinding', 'half', '--role=buckets-only', '--user=harry');
      const right = { user: 'harry', verb: 'create', resource: 'zipbuckets.zipjobs.dev' };
      await untilAllowed(world.flow.cluster, { ...right, namespace: world.own });
      const harry = createCommandLine({
        kubeconfig: await world.flow.cluster.kubeconfigFor({ commonName: 'harry' }),
      });
      await world.refused(harry, world.newBucket('half-made'), {
        code: 3,
        says: `Cannot store the credentials: ${permissionDenied('harry', ['create', 'secrets'], 'in namespace cli-buckets')}. Bucket "s3-half-made" was not created`,
        env: world.credentials,
      });
      await until('the bucket to be deleted', async () => {
        return (await world.owner.run(world.inOwn('bucket', 'show', 'half-made'))).exitCode === 4;
      });
    });

    it('refuses to delete a bucket that jobs use and names them, unless forced', async () => {
      await applyObjects(world.flow.cluster, [
        {
          apiVersion: GROUP_VERSION,
          kind: 'ZipJob',
          metadata: { namespace: world.own, name: 'held' },
          spec: {
            bucketRef: { name: 's3-from-file' },
            key: 'held.zip',
            files: [{ url: world.flow.origin.url('/gen/1000/1'), filename: 'a' }],
            suspend: true,
          },
        },
      ]);
      await world.refused(world.owner, world.inOwn('bucket', 'delete', 'from-file', '--yes'), {
        code: 3,
        says: 'Cannot delete bucket "from-file": jobs refer to it (1 unfinished and 0 finished), such as held. Delete these jobs, wait until they expire, or force the deletion (--force), which makes unfinished jobs fail',
      });
      const bucket = JSON.parse(
        await world.kubectl('get', 'zipbucket', 's3-from-file', '-o', 'json'),
      ) as ZipBucket;
      expect(bucket.metadata.deletionTimestamp).to.equal(undefined);
      expect(bucket.metadata.annotations ?? {}).not.to.have.property(ANNOTATIONS.forceDelete);
      expect(
        await world.owner.json(world.inOwn('bucket', 'delete', 'from-file', '--force', '--yes')),
      ).to.deep.include({
        gone: true,
      });
      await until('the job to fail', async () => {
        return (
          (await world.kubectl('get', 'zipjob', 'held', '-o', 'jsonpath={.status.reason}')) ===
          'BucketDeleted'
        );
      });
    });

    it('deletes a bucket with its credentials', async () => {
      const { stdout } = await world.owner.succeed(world.inOwn('bucket', 'delete', 'from-input', '-y'));
      expect(stdout).to.equal('Bucket "from-input" deleted. Its objects at the provider are kept.\n');
      for (const name of ['from-input', 'from-file']) {
        expect(await secretOf(name, '--ignore-not-found')).to.equal('');
      }
    });
  });

  describe('the output of zipjobs', () => {
    it('contains no credential, no query of a URL and no control character (H9)', () => {
      world.expectNoSecretPrinted();
    });
  });
});
