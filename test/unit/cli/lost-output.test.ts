import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { isKubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { compileCacheEnv } from '#test/support/processes/compile-cache-env.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';

const JOB = aZipJob({ metadata: { namespace: TEAM } });
/** More than a pipe holds. */
const LISTED = Array.from({ length: 500 }, (_, index) =>
  aZipJob({ metadata: { namespace: TEAM, name: `job-${index}` }, status: finishedAs('Succeeded') }),
);

function kubeconfigOf(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: TEAM } }],
    clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token: 'the-token' } }],
  });
}

describe('the command line whose output cannot be written', function () {
  this.timeout(60_000);
  let life: AsyncDisposableStack;
  let objects: ReturnType<typeof createObjectsByPath>;
  let kubeconfig: string;
  let onRequest: (request: KubeRequest) => void;

  function respond(request: KubeRequest): { readonly status: number; readonly body: unknown } {
    onRequest(request);
    if (request.path.endsWith('/selfsubjectreviews')) return { status: 201, body: {} };
    try {
      return { status: 200, body: objects.respond(request) };
    } catch (error) {
      if (!isKubeError(error)) throw error;
      return { status: error.httpStatus ?? 500, body: { reason: error.code, message: error.message } };
    }
  }

  beforeEach(async () => {
    life = new AsyncDisposableStack();
    onRequest = () => undefined;
    objects = createObjectsByPath();
    objects.put(COLLECTIONS.projects, aProject(TEAM));
    for (const job of LISTED) objects.put(COLLECTIONS.zipJobs, job);
    const server = createServer((request, response) => {
      void readText(request).then((text) => {
        const { status, body } = respond({
          method: (request.method ?? 'GET') as KubeRequest['method'],
          path: (request.url ?? '').split('?')[0] ?? '',
          ...(text !== '' && { body: JSON.parse(text) as unknown }),
        });
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    life.defer(() => {
      server.close();
      server.closeAllConnections();
    });
    const dir = await mkdtemp(join(tmpdir(), 'zipjobs-lost-output-'));
    life.defer(() => rm(dir, { recursive: true }));
    kubeconfig = join(dir, 'kubeconfig');
    await writeFile(kubeconfig, kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });
  afterEach(() => life.disposeAsync());

  function start(args: readonly string[], stdout: number | 'pipe'): ChildProcess {
    return spawn(process.execPath, ['cli/main.ts', ...args], {
      env: { ...compileCacheEnv(), KUBECONFIG: kubeconfig },
      stdio: ['ignore', stdout, 'pipe'],
    });
  }

  /** As on a full disk. */
  async function toFullDisk(args: readonly string[]) {
    const full = await open('/dev/full', 'w');
    life.defer(() => full.close());
    const child = start(args, full.fd);
    const [errors] = await Promise.all([child.stderr ? readText(child.stderr) : '', once(child, 'close')]);
    return { code: child.exitCode, errors };
  }

  it('fails, and says which token nobody has seen and how to delete it (UI5)', async () => {
    let value: unknown;
    onRequest = ({ method, path, body }) => {
      if (method === 'POST' && path === COLLECTIONS.tokens) value = body;
    };
    const { code, errors } = await toFullDisk(['token', 'create', 'backend', '--quiet']);
    const { name } = (value as { metadata: { name: string } }).metadata;
    expect([code, errors]).to.deep.equal([
      1,
      `zipjobs: Cannot write the output: ENOSPC: no space left on device, write. Nobody has seen the new token "${name}". Delete it with: zipjobs token delete ${name} -n ${TEAM}\n`,
    ]);
  });

  it('fails, and says how to get a signing secret that somebody has seen (UI5)', async () => {
    const { code, errors } = await toFullDisk(['webhook', 'set', 'https://hooks.example.com/x']);
    expect(code).to.equal(1);
    expect(objects.get(`${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`)).not.to.equal(undefined);
    expect(errors).to.match(/ENOSPC.*Create another one with: zipjobs webhook rotate-secret -n team-a\n$/);
    expect(errors).not.to.match(/whsec_|only once/);
  });

  for (const args of [['job', 'list', '-o', 'json'], ['--help'], ['completion']])
    it(`fails instead of writing a part: ${args.join(' ')} (UI5)`, async () => {
      const { code, errors } = await toFullDisk(args);
      expect(code).to.equal(1);
      expect(errors).to.contain('Cannot write the output: ENOSPC');
    });

  it('succeeds if the reader of the output leaves, as head does', async () => {
    const child = start(['job', 'list', '-o', 'json', '--limit', '500'], 'pipe');
    child.stdout?.destroy();
    const [errors] = await Promise.all([child.stderr ? readText(child.stderr) : '', once(child, 'close')]);
    expect([child.exitCode, errors]).to.deep.equal([0, '']);
  });

  it('fails if the reader leaves before it has a token that is shown only once (UI5)', async () => {
    const child = start(['token', 'create', 'backend', '--quiet'], 'pipe');
    child.stdout?.destroy();
    const [errors] = await Promise.all([child.stderr ? readText(child.stderr) : '', once(child, 'close')]);
    expect(child.exitCode).to.equal(1);
    expect(errors).to.contain('EPIPE').and.contain('Nobody has seen the new token');
  });

  it('continues a wait after the reader of its progress leaves (UI7)', async () => {
    let reads = 0;
    objects.put(COLLECTIONS.zipJobs, aZipJob({ metadata: { namespace: TEAM }, status: running('p') }));
    const child = start(['job', 'wait', NAME, '-o', 'json'], 'pipe');
    onRequest = () => {
      reads += 1;
      const status = reads > 5 ? finishedAs('Succeeded') : { ...running('p'), startedAt: `${reads}` };
      const resourceVersion = String(reads);
      const files = { filesDone: reads, bytesRead: reads, bytesUploaded: reads };
      const progress = { ...running('p').progress, ...files };
      objects.put(COLLECTIONS.zipJobs, {
        ...JOB,
        metadata: { ...JOB.metadata, resourceVersion },
        status: { ...status, progress },
      } as never);
    };
    child.stderr?.once('data', () => child.stderr?.destroy());
    const [output] = await Promise.all([child.stdout ? readText(child.stdout) : '', once(child, 'close')]);
    expect([child.exitCode, reads]).to.deep.equal([0, 6]);
    expect(JSON.parse(output)).to.include({ name: NAME, phase: 'Succeeded' });
  });
});
