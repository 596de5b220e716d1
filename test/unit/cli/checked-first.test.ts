import { expect } from 'chai';
import { addBucketCommands } from '#cli/bucket-commands.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import { addProjectCommands } from '#cli/project-commands.ts';
import { addTokenCommands } from '#cli/token-commands.ts';
import { addWebhookCommands } from '#cli/webhook-commands.ts';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

const BUCKET_PATH = `${COLLECTIONS.buckets}/s3-reports`;
const PROJECT_PATH = `${COLLECTIONS.projects}/${PROJECT_NAME}`;
const ENV = { ZIPJOBS_ACCESS_KEY_ID: 'id', ZIPJOBS_SECRET_ACCESS_KEY: 'secret' };

/** A project with one bucket, at a terminal whose user confirms everything. */
function start() {
  const objects = createObjectsByPath();
  objects.put(COLLECTIONS.projects, aProject(TEAM));
  const questions: string[] = [];
  const writes: KubeRequest[] = [];
  /** What the controller does after each request. */
  let control: (request: KubeRequest) => void = () => undefined;
  return {
    objects,
    questions,
    writes,
    onRequest: (reaction: typeof control) => {
      control = reaction;
    },
    run: (...args: readonly string[]) =>
      runProgram(
        {
          groups: [
            addBucketCommands,
            addJobCommands,
            addProjectCommands,
            addTokenCommands,
            addWebhookCommands,
          ],
          env: ENV,
          terminal: {
            isInteractive: true,
            confirm: (question) => {
              questions.push(question);
              return Promise.resolve(true);
            },
          },
          kube: {
            server: 'https://example.test',
            request: async (request) => {
              if (request.method !== 'GET') writes.push(request);
              const response = await Promise.resolve().then(() => objects.respond(request));
              control(request);
              return response;
            },
            stream: () => Promise.reject(new Error('not faked')),
            [Symbol.asyncDispose]: () => Promise.resolve(),
          },
        },
        [...args, '-n', TEAM],
      ),
  };
}

function aJob(status: ReturnType<typeof running>) {
  return aZipJob({ metadata: { namespace: TEAM }, spec: { bucketRef: { name: 's3-reports' } }, status });
}

describe('a command that would be refused', () => {
  it('asks nothing: job cancel of a finished job (Q-C19)', async () => {
    const { objects, questions, run } = start();
    objects.put(COLLECTIONS.zipJobs, aJob(finishedAs('Succeeded')));
    const { code, errors } = await run('job', 'cancel', NAME);
    expect([code, questions]).to.deep.equal([3, []]);
    expect(errors).to.contain('it is already finished (Succeeded)');
    objects.put(COLLECTIONS.zipJobs, aJob(running('p')));
    expect((await run('job', 'cancel', NAME)).code).to.equal(0);
    expect(questions).to.deep.equal([`Cancel job "${NAME}"? It will not create an archive.`]);
  });

  it('asks nothing: bucket delete while jobs refer to it (Q-C19)', async () => {
    const { objects, questions, run } = start();
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    objects.put(COLLECTIONS.zipJobs, aJob(finishedAs('Succeeded')));
    const { code, errors } = await run('bucket', 'delete', 'reports');
    expect([code, questions]).to.deep.equal([3, []]);
    expect(errors).to.contain('jobs refer to it (0 unfinished and 1 finished)');
  });

  it('asks nothing: webhook delete without a webhook (Q-C19)', async () => {
    const { questions, run } = start();
    const { code, errors } = await run('webhook', 'delete');
    expect([code, questions]).to.deep.equal([4, []]);
    expect(errors).to.contain('No webhook found');
  });

  it('is refused by name: job list with an unknown reason, except in the history (Q-C19)', async () => {
    const { run } = start();
    for (const [reason, says] of [
      ['SourceNotFoud', 'Unknown --reason "SourceNotFoud". Did you mean SourceNotFound?'],
      ['Queued,Zzz', 'Unknown --reason "Zzz". Reasons of failed jobs: InvalidTask, '],
    ] as const) {
      const { code, errors } = await run('job', 'list', '--reason', reason);
      expect(code).to.equal(2);
      expect(errors).to.contain(says);
      expect((await run('job', 'list', '--history', '--reason', reason)).errors).to.contain('no history');
    }
    for (const reason of ['SlotsTaken', 'OutOfMemory', 'StoreUnavailable'])
      expect((await run('job', 'list', '--reason', reason)).code, reason).to.equal(0);
  });
});

describe('zipjobs token create', () => {
  it('says that another token has the same name, so commands need IDs (Q-C19)', async () => {
    const { run } = start();
    const first = await run('token', 'create', 'ci', '-o', 'json');
    const { id } = JSON.parse(first.output) as { readonly id: string };
    expect(first.errors).not.to.contain('already in use');
    const second = await run('token', 'create', 'ci');
    expect(second.code).to.equal(0);
    expect(second.errors).to.contain(
      `The name "ci" was already in use, so commands need the ID of a token. The others with this name: ${id}\n`,
    );
  });

  it('needs no permission to list tokens (Q-C19)', async () => {
    const { objects, run } = start();
    const denied = new KubeError('no', { attempt: 'GET /x', code: 'Forbidden', user: 'jane' });
    objects.fail(denied, ({ method, path }) => method === 'GET' && path === COLLECTIONS.tokens);
    const { code, output } = await run('token', 'create', 'ci', '--quiet');
    expect([code, output.startsWith('zj_')]).to.deep.equal([0, true]);
  });
});

describe('zipjobs bucket create', () => {
  /** Acknowledges a test as the controller does. */
  function testing(state: ReturnType<typeof start>, reason: 'BucketTested' | 'BucketAccessDenied') {
    state.onRequest(({ method, path }) => {
      if (method !== 'PATCH' || path !== BUCKET_PATH) return;
      const bucket = state.objects.get(BUCKET_PATH) as unknown as ReturnType<typeof aBucket>;
      const nonce = bucket.metadata.annotations?.[ANNOTATIONS.testBucket];
      const test = { nonce, finishedAt: '2026-01-02T03:04:05Z' };
      const status = reason === 'BucketTested' ? 'True' : 'False';
      const condition = {
        type: 'Ready',
        status,
        reason,
        message: 'said',
        lastTransitionTime: test.finishedAt,
      };
      const tested = { ...bucket, status: { test, conditions: [condition] } };
      state.objects.put(COLLECTIONS.buckets, tested as never);
    });
  }
  const ARGS = ['bucket', 'create', 'reports', '--region', 'eu-central-1'];

  it('tests the new bucket, and ends like the test (Q-C20)', async () => {
    const good = start();
    testing(good, 'BucketTested');
    const ok = await good.run(...ARGS);
    expect(ok.code, ok.errors).to.equal(0);
    expect(ok.output).to.match(/^Last test: +ok/m);
    expect(ok.errors).to.equal('Bucket "reports" added. Testing it from inside the cluster\n');
    const bad = start();
    testing(bad, 'BucketAccessDenied');
    const failed = await bad.run(...ARGS);
    expect(failed.code).to.equal(1);
    expect(failed.output).to.match(/^Last test: +BucketAccessDenied/m);
    expect(failed.errors).to.contain('Once fixed, run: zipjobs bucket test reports -n team-a');
    expect(isRecord(bad.objects.get(BUCKET_PATH))).to.equal(true);
  });

  it('adds the bucket only with --no-test, and keeps it when the test does not end (Q-C20)', async () => {
    const untested = start();
    const { code, errors } = await untested.run(...ARGS, '--no-test');
    expect([code, errors]).to.deep.equal([0, 'Next: zipjobs bucket test reports -n team-a\n']);
    const slow = start();
    const late = await slow.run(...ARGS, '--timeout', '0');
    expect(late.code).to.equal(6);
    expect(late.errors)
      .to.match(/^Bucket "reports" added\./)
      .and.to.contain('timed out');
    expect(isRecord(slow.objects.get(BUCKET_PATH))).to.equal(true);
  });
});

describe('zipjobs project delete', () => {
  it('deletes tokens and buckets too, and waits for the end, on request (Q-C21)', async () => {
    const state = start();
    const { objects, questions, run, writes } = state;
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    await run('token', 'create', 'ci');
    writes.length = 0;
    const done = await run('project', 'delete', TEAM, '--with-tokens', '--with-buckets', '--wait');
    expect(questions.at(-1)).to.contain(
      'This also deletes its access tokens and its buckets with their credentials, for good.',
    );
    expect(done.code, done.errors).to.equal(0);
    expect(done.output).to.equal(`Project "${TEAM}" deleted.\n`);
    expect(done.errors).to.match(/^Deleting project "team-a" with 1 access token and 1 bucket\./);
    expect(done.errors).not.to.contain('kubectl');
    const deleted = writes.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted).to.include.members([PROJECT_PATH, BUCKET_PATH]);
    expect(deleted.some((path) => path.startsWith(`${COLLECTIONS.tokens}/`))).to.equal(true);
  });

  it('keeps tokens and buckets by default, and says how to delete tokens (Q-C21)', async () => {
    const { objects, run } = start();
    objects.put(COLLECTIONS.buckets, aBucket(TEAM, 's3', 'reports'));
    const { code, output, errors } = await run('project', 'delete', TEAM, '--yes');
    expect(code).to.equal(0);
    expect(output).to.match(/^Deleting project "team-a"\. /);
    expect(errors).to.contain('kubectl delete ziptokens --all').and.contain('up to five minutes');
    expect(objects.get(BUCKET_PATH)).not.to.equal(undefined);
  });

  it('says why it is still there when the time is over (Q-C21)', async () => {
    const { objects, run, onRequest } = start();
    const ready = { type: 'Ready', status: 'False', reason: 'ProjectDeleting', message: 'waits for 2 jobs' };
    onRequest(({ method }) => {
      if (method !== 'DELETE') return;
      const project = aProject(TEAM);
      const metadata = { ...project.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' };
      objects.put(COLLECTIONS.projects, { ...project, metadata, status: { conditions: [ready] } } as never);
    });
    const { code, errors } = await run('project', 'delete', TEAM, '--yes', '--wait', '--timeout', '0');
    expect(code).to.equal(6);
    expect(errors).to.contain('Project "team-a" is still being deleted after 0 s: waits for 2 jobs');
  });
});
