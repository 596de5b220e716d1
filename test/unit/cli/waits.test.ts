import { expect } from 'chai';
import { addBucketCommands } from '#cli/bucket-commands.ts';
import { addJobCommands } from '#cli/job-commands.ts';
import { addProjectCommands } from '#cli/project-commands.ts';
import { addWebhookCommands } from '#cli/webhook-commands.ts';
import { ANNOTATIONS, PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { createObjectsByPath, merged } from '#test/support/builders/objects-by-path.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { aBucket, aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { runProgram } from './fake-session.ts';

const TIME = '2026-01-02T03:04:05Z';
const BUCKET = aBucket(TEAM, 's3', 'reports');
const PROJECT = `${COLLECTIONS.projects}/${PROJECT_NAME}`;

function aJob(status: ZipJobStatus) {
  return aZipJob({ metadata: { namespace: TEAM }, status });
}

const WEBHOOK = { events: ['COMPLETED'] } as const;

function annotation(object: unknown, name: string): string {
  return (
    (object as { metadata?: { annotations?: Record<string, string> } }).metadata?.annotations?.[name] ?? ''
  );
}

function conditionOf(type: string) {
  return {
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: TIME,
  };
}

/** The status that the controller writes after it has seen the object. */
function statusAfter(path: string, object: object): object {
  if (path === PROJECT)
    return {
      conditions: [conditionOf('Ready'), conditionOf('HistoryPurged')],
      historyPurge: {
        nonce: annotation(object, ANNOTATIONS.purgeHistory),
        startedAt: TIME,
        finishedAt: TIME,
        records: 1,
      },
      webhook: {
        test: { nonce: annotation(object, ANNOTATIONS.testWebhook), ok: true, status: 204, at: TIME },
      },
    };
  const test = { nonce: annotation(object, ANNOTATIONS.testBucket), finishedAt: TIME };
  return { test, conditions: [conditionOf('Ready')] };
}

/** No response until the client ends the request. */
function silence({ signal }: KubeRequest): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => {
      reject(signal.reason as Error);
    });
  });
}

/** An API server whose controller reacts to each write. `failAt` decides about each request, counted from 1. */
function start(failAt: (count: number, request: KubeRequest) => Error | 'silence' | undefined) {
  const objects = createObjectsByPath();
  objects.put(COLLECTIONS.buckets, BUCKET);
  objects.put(COLLECTIONS.zipJobs, aJob(running('p')));
  let count = 0;
  let readsOfJob = 0;
  function respond(request: KubeRequest): unknown {
    count += 1;
    const failure = failAt(count, request);
    if (failure === 'silence') return silence(request);
    if (failure !== undefined) throw failure;
    if (request.path.endsWith(`/${NAME}`)) {
      readsOfJob += 1;
      if (readsOfJob === 3) objects.put(COLLECTIONS.zipJobs, aJob(finishedAs('Succeeded')));
    }
    const response = objects.respond(request);
    if (request.method === 'PATCH' || request.method === 'POST') {
      const path = request.method === 'POST' ? `${request.path}/${PROJECT_NAME}` : request.path;
      const object = objects.get(path) ?? {};
      objects.put(
        path.replace(/\/[^/]+$/, ''),
        merged(object, { status: statusAfter(path, object) }) as never,
      );
    }
    return response;
  }
  return {
    putProject: () => objects.put(COLLECTIONS.projects, aProject(TEAM, { webhook: { ...WEBHOOK } })),
    run: async (args: readonly string[]) => {
      const printed = await runProgram(
        {
          groups: [addBucketCommands, addJobCommands, addProjectCommands, addWebhookCommands],
          kube: {
            server: 'https://example.test',
            request: (request) => Promise.resolve().then(() => respond(request)),
            stream: () => Promise.reject(new Error('not faked')),
            [Symbol.asyncDispose]: () => Promise.resolve(),
          },
        },
        args,
      );
      return { ...printed, requests: count };
    },
  };
}

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  'job wait': ['job', 'wait', NAME, '-n', TEAM],
  'job get --watch': ['job', 'get', NAME, '--watch', '-n', TEAM],
  'bucket test': ['bucket', 'test', 'reports', '-n', TEAM],
  'project create': ['project', 'create', TEAM],
  'project purge': ['project', 'purge', TEAM, '--yes'],
  'webhook test': ['webhook', 'test', '-n', TEAM],
};

function kubeError(code: KubeErrorCode, retryAfterMs?: number): KubeError {
  return new KubeError('apiserver is shutting down', {
    attempt: 'GET /x',
    httpStatus: 503,
    code,
    retryAfterMs,
  });
}

describe('commands that wait', function () {
  this.timeout(60_000);

  /** Runs the command with a failure of its n-th request, for every n. */
  async function withFailures(name: string, failure: KubeError, isFailed: (request: KubeRequest) => boolean) {
    const results: unknown[] = [];
    for (let at = 1, requests = at; at <= requests; at += 1) {
      let hits = 0;
      const server = start((count, request) => {
        if (count !== at || !isFailed(request)) return undefined;
        hits += 1;
        return failure;
      });
      if (name !== 'project create') server.putProject();
      const printed = await server.run(COMMANDS[name] ?? []);
      ({ requests } = printed);
      if (hits > 0) results.push(printed.code === 0 ? 0 : printed);
    }
    return results;
  }

  for (const name of Object.keys(COMMANDS)) {
    it(`continue after one 500 to any read: ${name} (UI3)`, async () => {
      const results = await withFailures(name, kubeError('ServerError'), ({ method }) => method === 'GET');
      expect(results).to.deep.equal(results.map(() => 0));
      expect(results).not.to.deep.equal([]);
    });

    it(`continue after one 429 to any request: ${name} (UI3)`, async () => {
      const results = await withFailures(name, kubeError('TooManyRequests', 100), () => true);
      expect(results).to.deep.equal(results.map(() => 0));
      expect(results).not.to.deep.equal([]);
    });
  }

  it('report each failure once, and end with its text and exit code 6 (UI3)', async () => {
    const server = start((count) => (count > 1 ? kubeError('Unreachable') : undefined));
    const { code, output, errors } = await server.run([...(COMMANDS['job wait'] ?? []), '--timeout', '2']);
    expect([code, output]).to.deep.equal([6, '']);
    expect(errors.match(/apiserver is shutting down.*Waiting continues\n/g)).to.have.length(1);
    expect(errors).to.match(
      new RegExp(
        `zipjobs: Job "${NAME}" is not finished after 2 s: Running.*The last request failed: Cannot get `,
      ),
    );
  });

  for (const code of ['ServerError', 'TooManyRequests'] as const)
    it(`name the last ${code} when the time is over while a request is sent again (UI3)`, async () => {
      const server = start((count) => (count > 2 ? kubeError(code, 5_000) : undefined));
      const { errors } = await server.run([...(COMMANDS['job wait'] ?? []), '--timeout', '2']);
      expect(errors).to.match(/after 2 s.*The last request failed: .*apiserver is shutting down/);
    });

  it('end at once when the object is gone or access is refused (UI3)', async () => {
    for (const [failure, exitCode] of [
      ['NotFound', 4],
      ['Forbidden', 3],
      ['Unauthorized', 5],
    ] as const) {
      const server = start((count) => (count > 2 ? kubeError(failure) : undefined));
      const { code, requests } = await server.run(COMMANDS['job wait'] ?? []);
      expect([code, requests]).to.deep.equal([exitCode, 3]);
    }
  });

  it('end soon if the cluster has never responded (UI3)', async () => {
    const { code, requests } = await start(() => kubeError('Unreachable')).run(COMMANDS['job wait'] ?? []);
    expect([code, requests]).to.deep.equal([5, 1]);
  });

  it('name the new job of a rerun, and continue when its first read gets no response (UI3)', async () => {
    const objects = createObjectsByPath();
    objects.put(COLLECTIONS.zipJobs, aJob(finishedAs('Failed')));
    let reads = 0;
    function respond(request: KubeRequest): unknown {
      if (request.method === 'GET') reads += 1;
      if (reads === 2) throw kubeError('Timeout');
      const response = objects.respond(request) as ReturnType<typeof aJob>;
      if (request.method === 'POST')
        objects.put(COLLECTIONS.zipJobs, { ...response, status: finishedAs('Succeeded') } as never);
      return response;
    }
    const kube = {
      server: 'https://example.test',
      request: (request: KubeRequest) => Promise.resolve().then(() => respond(request)),
      stream: () => Promise.reject(new Error('not faked')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
    const args = ['job', 'run-again', NAME, '--wait', '-n', TEAM];
    const { code, errors } = await runProgram({ groups: [addJobCommands], kube }, args);
    expect([code, reads], errors).to.deep.equal([0, 3]);
    expect(errors).to.match(
      new RegExp(`^Job "zip-\\S+" created\\. It runs "${NAME}" again\\. Its ID is \\S+\\.\n`),
    );
  });

  for (const failure of ['silence', kubeError('Unreachable')] as const)
    it(`name ${failure === 'silence' ? failure : 'the last failure'} when a deleted bucket may still exist, with exit code 6 (UI3)`, async () => {
      let isDeleted = false;
      const server = start((_count, { method }) => {
        if (isDeleted) return method === 'GET' ? failure : undefined;
        isDeleted = method === 'DELETE';
        return undefined;
      });
      server.putProject();
      const args = ['bucket', 'delete', 'reports', '--yes', '-n', TEAM, '--timeout', '2'];
      const { code, output, errors } = await server.run(args);
      expect(code, errors).to.equal(6);
      expect(output).to.contain('marked for deletion');
      expect(errors).to.match(
        /It is not known whether it is gone\. The last request failed: (Cannot get|The API server)/,
      );
    });

  const WAITS: readonly (readonly string[])[] = [
    ...Object.values(COMMANDS),
    ['bucket', 'delete', 'reports', '--yes'],
    ['webhook', 'enable'],
    ['job', 'run-again', NAME, '--wait'],
    ['job', 'replay-webhook', NAME],
  ];
  for (const timeout of ['2x', '', '-1', '1.5', 'Infinity', 'NaN', '1e3', '25d', '9999999999'])
    it(`refuse --timeout ${timeout || 'without a value'} before the first request (UI6)`, async () => {
      for (const args of WAITS) {
        const { code, errors, requests } = await start(() => undefined).run([
          ...args,
          `--timeout=${timeout}`,
        ]);
        expect([code, requests], errors).to.deep.equal([2, 0]);
        expect(errors).to.contain('--timeout');
      }
    });

  it('take --timeout in seconds, or with a unit as other durations (UI6)', async () => {
    for (const [timeout, seconds] of Object.entries({ 1: 1, '1s': 1, '0': 0 })) {
      const server = start(() => undefined);
      server.putProject();
      const args = ['job', 'wait', 'other', '-n', TEAM, '--timeout', timeout];
      expect((await server.run(args)).code).to.equal(4);
      const silent = start((count) => (count > 1 ? kubeError('Unreachable') : undefined));
      const { errors } = await silent.run([...(COMMANDS['job wait'] ?? []), '--timeout', timeout]);
      expect(errors).to.contain(`is not finished after ${seconds} s`);
    }
    const server = start(() => undefined);
    server.putProject();
    const repeated = await server.run([...(COMMANDS['job wait'] ?? []), '--timeout', '1h', '--timeout', 'x']);
    expect(repeated.errors).to.contain('Invalid --timeout "x"');
    for (const timeout of ['2m', '1h', '24d'])
      expect((await server.run([...(COMMANDS['bucket test'] ?? []), '--timeout', timeout])).code).to.equal(0);
  });
});
