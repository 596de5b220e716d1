import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { DUMP_LIMITS, type DumpLimits } from '#cli/sysdump/dump-context.ts';
import { createSysdump } from '#cli/sysdump/sysdump.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { contentOf, readZip } from '#test/support/archives/read-zip.ts';

function forbidden(): KubeError {
  return new KubeError('403 Forbidden: User "ada" cannot list it', {
    user: 'ada',
    code: 'Forbidden',
    httpStatus: 403,
  });
}

const project = { kind: 'ZipProject', metadata: { namespace: 'acme', name: 'project' }, spec: {} };

function aPod(name: string, restartCount: number) {
  return {
    metadata: { namespace: 'acme', name },
    spec: { containers: [{ name: 'zipper' }] },
    status: { phase: 'Failed', containerStatuses: [{ name: 'zipper', restartCount }] },
  };
}

/** Scripted responses by the end of the path. */
type Responses = Readonly<Record<string, (request: KubeRequest) => unknown>>;

const RESPONSES: Responses = {
  '/version': () => ({ gitVersion: 'v1.35.4' }),
  '/selfsubjectreviews': () => ({ status: { userInfo: { username: 'ada' } } }),
  '/zipprojects': () => ({ metadata: {}, items: [project] }),
  '/namespaces/acme/pods': () => ({ metadata: {}, items: [aPod('a', 1), aPod('b', 0)] }),
};

interface Script {
  readonly responses?: Responses;
  readonly log?: (request: KubeRequest) => Readable;
}

describe('createSysdump', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sysdump-'));
  });
  afterEach(() => rm(dir, { recursive: true }));

  const paths: string[] = [];
  function kubeOf({
    responses = {},
    log = () => Readable.from([Buffer.from('one\ntwo\n')]),
  }: Script): KubeClient {
    return {
      server: 'https://example.test',
      request: async (request) => {
        paths.push(request.path);
        const all = [...Object.entries(responses), ...Object.entries(RESPONSES)];
        const found = all.find(([end]) => request.path.endsWith(end));
        return found ? found[1](request) : { metadata: {}, items: [] };
      },
      stream: async (request) => {
        paths.push(`${request.path}${request.query?.['previous'] === true ? '?previous' : ''}`);
        return log(request);
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  async function dump(
    script: Script,
    limits: Partial<DumpLimits> = {},
    signal = AbortSignal.timeout(20_000),
  ) {
    paths.length = 0;
    const deps = { kube: kubeOf(script), clock: systemClock, progress: () => undefined, version: '1.2.3' };
    const path = join(dir, 'dump.zip');
    const request = { path, projects: [], ownNamespace: 'acme', limits: { ...DUMP_LIMITS, ...limits } };
    const { problems } = await createSysdump(deps)(request, signal);
    const { entries } = readZip(await readFile(path));
    return { problems, files: new Map(entries.map((entry) => [entry.name, contentOf(entry).toString()])) };
  }

  it('reads no Secret of any namespace', async () => {
    await dump({});
    expect(paths).to.include('/api/v1/namespaces/acme/pods');
    expect(paths.filter((path) => path.includes('/secrets'))).to.deep.equal([]);
  });

  it('reads the log of the run before a restart', async () => {
    const { files } = await dump({});
    expect([...files.keys()].filter((name) => name.startsWith('logs/'))).to.deep.equal([
      'logs/acme/a/zipper.log',
      'logs/acme/a/zipper.previous.log',
      'logs/acme/b/zipper.log',
    ]);
    expect(paths).to.include('/api/v1/namespaces/acme/pods/a/log?previous');
  });

  it('reads the last lines of a log, or the last hours if requested', async () => {
    const queries: KubeRequest['query'][] = [];
    function log({ query }: KubeRequest): Readable {
      queries.push(query);
      return Readable.from([]);
    }
    await dump({ log }, { logLines: 7 });
    expect(queries[0]).to.deep.equal({ container: 'zipper', tailLines: 7 });
    await dump({ log }, { logSeconds: 60 });
    expect(queries.at(-1)).to.include({ sinceSeconds: 60 });
  });

  it('continues if a kind is forbidden or a list fails midway, and reports it', async () => {
    function half(request: KubeRequest): unknown {
      if (request.query?.['continue'] !== undefined)
        throw new KubeError('the list is too old', { code: 'Gone' });
      return { metadata: { continue: 'next' }, items: [{ metadata: { namespace: 'acme', name: 'first' } }] };
    }
    const { files, problems } = await dump({
      responses: {
        '/nodes': () => {
          throw forbidden();
        },
        '/namespaces/acme/events': half,
      },
    });
    expect(problems.map(({ what }) => what)).to.include.members([
      'cluster/nodes.yaml',
      'namespaces/acme/events.yaml',
    ]);
    expect(files.get('namespaces/acme/events.yaml')).to.contain('first');
    expect(files.get('errors.txt')).to.contain('403 Forbidden').and.to.contain('the list is too old');
    expect(files.get('summary.txt')).to.contain(`PARTIAL: ${problems.length} items`);
  });

  it('falls back to its own namespace if it cannot list all projects', async () => {
    function refuse(): never {
      throw forbidden();
    }
    const { problems } = await dump({ responses: { [`/apis/zipjobs.dev/v1alpha1/zipprojects`]: refuse } });
    expect(paths).to.include('/apis/zipjobs.dev/v1alpha1/namespaces/acme/zipjobs');
    expect(problems.find(({ what }) => what === 'other projects')?.why).to.contain('only acme');
  });

  it('limits the time for reading a log that does not end', async () => {
    function endless({ signal }: KubeRequest): Readable {
      return Readable.from(
        (async function* (): AsyncGenerator<Buffer> {
          yield Buffer.from('started\n');
          await delay(60_000, undefined, signal ? { signal } : {});
        })(),
      );
    }
    const { problems, files } = await dump({ log: endless }, { readMs: 20 });
    expect(problems.find(({ what }) => what === 'logs/acme/b/zipper.log')?.why).to.contain(
      'timed out after 20 ms',
    );
    expect(files.get('errors.txt')).to.contain('logs/acme/b/zipper.log');
  });

  it('limits the number of pods whose logs it reads', async () => {
    const { problems, files } = await dump({}, { maxLogs: 1 });
    expect([...files.keys()].filter((name) => name.startsWith('logs/acme/b'))).to.deep.equal([]);
    expect(problems.find(({ what }) => what === 'logs')?.why).to.contain('of 2 pods');
  });

  it('stops and leaves no file if the API server returns 401, or on an interrupt', async () => {
    function unknown(): never {
      throw new KubeError('401', { code: 'Unauthorized', httpStatus: 401 });
    }
    const error: unknown = await dump({ responses: { '/nodes': unknown } }).catch(
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(KubeError);
    const interrupt = new AbortController();
    function stop(): never {
      interrupt.abort(new DOMException('received SIGINT', 'AbortError'));
      throw interrupt.signal.reason as Error;
    }
    const end: unknown = await dump({ responses: { '/nodes': stop } }, {}, interrupt.signal).catch(
      (reason: unknown) => reason,
    );
    expect(end).to.have.property('name', 'AbortError');
    expect(await readdir(dir)).to.deep.equal([]);
  });
});
