/** The command line against an API server that fails to respond to one read in ten. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION, PROJECT_NAME } from '#crds/api-group.ts';
import { unsupported } from '#test/support/builders/unsupported.ts';
import { apiServerTls } from '#test/support/clients/api-server-tls.ts';
import { inParallel } from '#test/support/in-parallel.ts';
import { type Run, runCommandLine } from '#test/support/processes/command-line.ts';
import { endOf, startCommandLine } from '#test/support/processes/command-line-process.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import type { OriginRoute } from '#test/support/servers/origin-request.ts';
import { until } from '#test/support/until.ts';
import { untilAllowed } from '#test/support/until-allowed.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { type FaultAction, startFaultProxy } from '#tools/local-cluster/fault-proxy.ts';
import { writeKubeconfig } from '#tools/local-cluster/kubeconfig.ts';

const NAMESPACE = 'cli-failing';
const ACCOUNT = `system:serviceaccount:${NAMESPACE}:default`;
const LIMIT_MS = 300_000;
const AT_ONCE = 6;

const SILENCE = 'no response';

const FAULTS: Readonly<Record<string, FaultAction>> = {
  'a 500': { kind: 'response', status: 500 },
  'a 429 with Retry-After': { kind: 'response', status: 429, retryAfterSeconds: 1 },
  'a reset connection': { kind: 'refuse' },
  [SILENCE]: { kind: 'delay', ms: LIMIT_MS },
};

/** Lists of the whole cluster. The uninstall must not touch the projects of other tests. */
const CLUSTER_LIST = new RegExp(`^(/apis/${GROUP_VERSION})/(zip[a-z]+)\\?`);

function onlyEmpty(path: string): string {
  return path.replace(CLUSTER_LIST, `$1/namespaces/${NAMESPACE}/$2?labelSelector=none&`);
}

const runProcess: typeof runCommandLine = (user, args, options) =>
  endOf(startCommandLine(user, args, { env: options?.env ?? {} }));

interface Prepared {
  readonly args: readonly string[];
  /** Lets the wait end. */
  readonly onFailed?: () => void;
}

interface Failing {
  readonly fault: string;
  /** Of each read, counted from 1. */
  readonly isFailed: (read: number) => boolean;
  /** Time limit of a request of the command. A healthy one must end within it. */
  readonly requestMs?: number;
}

interface Wait {
  /** Number of the first read of its wait; those before it are of the command itself. */
  readonly firstRead: number;
  readonly prepare: () => Prepared | Promise<Prepared>;
  readonly ends: readonly [exitCode: number, says: RegExp];
}

describe('commands that wait for an API server that fails', function () {
  this.timeout(LIMIT_MS);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let dir: string;
  let token: string;
  let finished: string;
  let created = 0;
  const failing: string[] = [];

  async function bindAdmin(namespace: string): Promise<void> {
    const role = ['--clusterrole=admin', `--serviceaccount=${NAMESPACE}:default`, '-n', namespace];
    await flow.cluster.kubectl(['create', 'rolebinding', 'cli-failing', ...role]);
    await untilAllowed(flow.cluster, {
      user: ACCOUNT,
      verb: 'get',
      resource: 'zipprojects.zipjobs.dev',
      namespace,
    });
  }

  before(async () => {
    flow = life.use(await startFlow(NAMESPACE));
    // Buckets that are not ready would be findings of the next doctor.
    life.defer(async () => {
      if (failing.length > 0) await flow.kubectl('delete', 'zipbucket', ...failing);
    });
    dir = await mkdtemp(join(tmpdir(), 'cli-failing-'));
    life.defer(() => rm(dir, { recursive: true }));
    finished = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a' }]);
    await bindAdmin(NAMESPACE);
    token = (await flow.kubectl('create', 'token', 'default')).trim();
    await until('the first event', async () => {
      const { status } = await flow.project.zipJob(finished);
      return status?.webhook?.state === 'Delivered';
    });
  });
  after(() => life.disposeAsync());

  /** Runs the command behind a proxy that makes reads fail. */
  async function run(
    runWith: typeof runCommandLine,
    { args, onFailed }: Prepared,
    { fault, isFailed, requestMs = fault === SILENCE ? 5_000 : 30_000 }: Failing,
  ): Promise<Run & { readonly failed: number }> {
    let [reads, failed] = [0, 0];
    const { url, caPath } = flow.cluster.apiServer;
    await using proxy = await startFaultProxy({
      upstream: url,
      tls: await apiServerTls(flow.cluster),
      rewrite: onlyEmpty,
      judge: ({ method }) => {
        if (method !== 'GET') return undefined;
        reads += 1;
        if (!isFailed(reads)) return undefined;
        failed += 1;
        onFailed?.();
        return FAULTS[fault];
      },
    });
    created += 1;
    const kubeconfig = join(dir, `${created}.kubeconfig`);
    await writeKubeconfig(kubeconfig, { url: proxy.url, caPath, user: { token } });
    const env = unsupported({ KUBE_REQUEST_TIMEOUT_MS: requestMs });
    return { ...(await runWith({ kubeconfig }, args, { env })), failed };
  }

  function own(...args: readonly string[]): Prepared {
    return { args: [...args, '-n', NAMESPACE] };
  }
  /** A command for a job that succeeds once a read has failed. */
  function heldJob(command: string, ...options: readonly string[]) {
    return async (): Promise<Prepared> => {
      const held = flow.hold();
      const uuid = await flow.post([{ url: held.url, filename: 'a' }]);
      return { ...own('job', command, uuid, ...options), onFailed: held.release };
    };
  }
  const waits: Readonly<Record<string, Wait>> = {
    uninstall: {
      firstRead: 2,
      prepare: () => ({ args: ['uninstall', '--system-namespace', NAMESPACE, '--yes'] }),
      ends: [0, /^Removed the finalizer of 0 objects\./],
    },
    'job wait': { firstRead: 2, prepare: heldJob('wait'), ends: [0, /Phase: +Succeeded/] },
    'job show': { firstRead: 2, prepare: heldJob('show', '--watch'), ends: [0, /Phase: +Succeeded/] },
    'job wait (of a job that fails)': {
      firstRead: 2,
      prepare: async () => {
        const failing = Promise.withResolvers<void>();
        const late: OriginRoute = async (_request, response) => {
          await failing.promise;
          response.writeHead(404).end();
        };
        const origin = life.use(await startFileOrigin({ routes: { '/late': late } }));
        const uuid = await flow.post([{ url: origin.url('/late'), filename: 'a' }]);
        return { ...own('job', 'wait', uuid), onFailed: failing.resolve };
      },
      ends: [1, /Phase: +Failed[^]*SourceNotFound/],
    },
    'job create': {
      firstRead: 3,
      prepare: () => {
        created += 1;
        const to = ['--bucket', flow.project.bucketName, '--key', `created-${created}.zip`];
        return own('job', 'create', ...to, `a=${flow.origin.url('/gen/10/1')}`, '--wait');
      },
      ends: [0, /Phase: +Succeeded/],
    },
    'job run-again': {
      firstRead: 2,
      prepare: () => own('job', 'run-again', finished, '--wait'),
      ends: [0, /Phase: +Succeeded/],
    },
    'job resend-webhook': {
      firstRead: 2,
      prepare: () => own('job', 'resend-webhook', finished),
      ends: [0, /delivered \(HTTP 204\)/],
    },
    'bucket test': {
      firstRead: 2,
      prepare: () => own('bucket', 'test', flow.project.bucketName),
      ends: [0, /Last test: +ok 2/],
    },
    'bucket create': {
      firstRead: 5,
      prepare: async () => {
        created += 1;
        const { region, endpoint, accessKeyId, secretAccessKey } = flow.cluster.store;
        const file = join(dir, `${created}.json`);
        await writeFile(file, JSON.stringify({ accessKeyId, secretAccessKey }));
        const place = ['--region', region, '--endpoint', endpoint, '--credentials-file', file];
        const bucketName = `created-${created}`;
        failing.push(bucketResourceName('s3', bucketName));
        return own('bucket', 'create', bucketName, ...place);
      },
      // The store has no bucket of this name.
      ends: [1, /Last test: +Bucket\w+/],
    },
    'bucket delete': {
      firstRead: 5,
      prepare: async () => {
        created += 1;
        const bucketName = `deleted-${created}`;
        const metadata = { namespace: NAMESPACE, name: bucketResourceName('s3', bucketName) };
        const spec = { service: 's3', bucketName, region: 'us-east-1' };
        await flow.cluster.apply([{ apiVersion: GROUP_VERSION, kind: 'ZipBucket', metadata, spec }]);
        return own('bucket', 'delete', bucketName, '--yes');
      },
      ends: [0, /^Bucket "deleted-\d+" deleted\./],
    },
    'project create': {
      firstRead: 1,
      prepare: async () => {
        created += 1;
        const name = `${NAMESPACE}-${created}`;
        await flow.cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }]);
        await bindAdmin(name);
        return { args: ['project', 'create', name] };
      },
      ends: [0, /State: +Ready/],
    },
    'project delete': {
      firstRead: 2,
      prepare: async () => {
        created += 1;
        const name = `${NAMESPACE}-${created}`;
        const metadata = { namespace: name, name: PROJECT_NAME };
        await flow.cluster.apply([
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
          { apiVersion: GROUP_VERSION, kind: 'ZipProject', metadata, spec: {} },
        ]);
        await bindAdmin(name);
        return { args: ['project', 'delete', name, '--yes', '--wait'] };
      },
      ends: [0, /^Project "\S+" deleted\./],
    },
    'project purge': {
      firstRead: 3,
      prepare: () => ({ args: ['project', 'purge', NAMESPACE, '--yes'] }),
      // The installation has no history.
      ends: [3, /There is no history database/],
    },
    'webhook test': {
      firstRead: 2,
      prepare: () => own('webhook', 'test'),
      ends: [0, /Last test: +ok, HTTP 204/],
    },
    'webhook enable': {
      firstRead: 2,
      prepare: () => own('webhook', 'enable'),
      ends: [0, /State: +Enabled/],
    },
  };
  const names = Object.keys(waits);

  const faults = Object.keys(FAULTS);
  /** Runs every command, and returns those that do not end as they should. */
  async function problemsOf(check: (wait: Wait, index: number) => Promise<unknown>): Promise<unknown[]> {
    const problems: unknown[] = [];
    await inParallel(names.length, AT_ONCE, async (index) => {
      const problem = await check(waits[names[index]!]!, index);
      if (problem !== undefined) problems.push([names[index], problem]);
    });
    return problems;
  }

  for (const fault of faults)
    it(`end with the true outcome if one read in ten gets ${fault} (UI3)`, async () => {
      let count = 0;
      const problems = await problemsOf(async ({ firstRead, prepare, ends: [exitCode, says] }) => {
        const end = await run(runProcess, await prepare(), {
          fault,
          isFailed: (read) => read % 10 === firstRead,
        });
        count += end.failed;
        const isTrue = end.exitCode === exitCode && says.test(`${end.stdout}${end.stderr}`);
        return end.failed > 0 && isTrue ? undefined : end;
      });
      console.log(`      ${count} reads of ${names.length} commands got ${fault}`);
      expect(problems).to.deep.equal([]);
    });

  it('end with exit code 6 at the time limit, and name the last failure, if every read fails (UI3)', async () => {
    const problems = await problemsOf(async ({ firstRead, prepare }, index) => {
      const prepared = await prepare();
      const fault = faults[index % faults.length]!;
      const timed = { ...prepared, args: [...prepared.args, '--timeout', '2'] };
      const end = await run(runCommandLine, timed, { fault, isFailed: (read) => read >= firstRead });
      return end.exitCode === 6 && end.stderr.includes('The last request failed: ') ? undefined : end;
    });
    expect(problems).to.deep.equal([]);
  });

  it('end with exit code 5 if the API server does not respond to the first request (UI2)', async () => {
    const { exitCode, stdout, stderr } = await run(runCommandLine, own('job', 'wait', finished), {
      fault: SILENCE,
      isFailed: () => true,
      requestMs: 500,
    });
    expect([exitCode, stdout]).to.deep.equal([5, '']);
    expect(stderr).to.contain('no response from the API server within 500 ms');
  });

  it('are all tried here: each command that takes --timeout (UI3)', async () => {
    async function help(...words: readonly string[]): Promise<string> {
      return (await runCommandLine({ kubeconfig: '' }, [...words, '--help'])).stdout;
    }
    function commandsIn(text: string): readonly string[] {
      return [...text.matchAll(/^  zipjobs ((?:[a-z-]+ ?)+)/gm)].map(([, words = '']) => words.trim());
    }
    const groups = commandsIn(await help());
    const commands = await Promise.all(
      groups.map(async (group) => {
        const inner = commandsIn(await help(group));
        return inner.length > 0 ? inner : [group];
      }),
    );
    const timed: string[] = [];
    for (const command of commands.flat())
      if ((await help(...command.split(' '))).includes('--timeout')) timed.push(command);
    const tried = names.map((name) => name.replace(/ \(.*/, ''));
    expect(timed.toSorted()).to.deep.equal([...new Set(tried)].toSorted());
  });
});
