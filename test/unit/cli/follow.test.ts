import { Readable } from 'node:stream';
import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import type { ZipJob, ZipJobStatus } from '#crds/zip-job.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { finishedAs, running } from '#test/support/builders/zip-job-statuses.ts';
import { type FakeSessionOptions, runProgram } from './fake-session.ts';

const TIME = '2026-01-02T03:04:05.678Z';
const CANARY = 'cAnArY0123456789';
const FAST = {
  ...systemClock,
  after: (ms: number, task: () => void) => systemClock.after(Math.min(ms, 5), task),
};

function kubeError(code: KubeErrorCode): KubeError {
  return new KubeError('not now', { attempt: 'GET /x', code, httpStatus: 400 });
}

function run(
  args: readonly string[],
  kube: Pick<KubeClient, 'request'> & Partial<KubeClient>,
  more: Partial<FakeSessionOptions> = {},
) {
  return runProgram(
    {
      groups: [addJobCommands],
      clock: FAST,
      ...more,
      kube: {
        server: 'https://example.test',
        stream: () => Promise.reject(new Error('not faked')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
        ...kube,
      },
    },
    ['job', ...args],
  );
}

function aPod(name: string) {
  return { metadata: { name, namespace: 'default', creationTimestamp: name }, spec: {}, status: {} };
}

describe('zipjobs job logs --follow', () => {
  /** What the API server knows at each read of the job, and the responses to reads of the log. */
  function follow(
    states: readonly { readonly pods: readonly string[]; readonly status: ZipJobStatus }[],
    logs: readonly (readonly string[] | Error)[],
    ...args: readonly string[]
  ) {
    const streams: KubeRequest[] = [];
    let reads = -1;
    const result = run(['logs', NAME, '--follow', ...args], {
      request: ({ path }) => {
        if (path.endsWith('/zipjobs/' + NAME)) reads += 1;
        const state = states[Math.min(reads, states.length - 1)];
        return Promise.resolve(
          path.endsWith('/pods')
            ? { metadata: {}, items: (state?.pods ?? []).map(aPod) }
            : aZipJob({ status: state?.status ?? {} }),
        );
      },
      stream: (request) => {
        streams.push(request);
        const log = logs[streams.length - 1] ?? [];
        return log instanceof Error
          ? Promise.reject(log)
          : Promise.resolve(Readable.from(log.map((piece) => Buffer.from(piece))));
      },
    });
    return result.then((printed) => ({ ...printed, streams }));
  }
  const RUNNING = running('p');
  const DONE = finishedAs('Succeeded');

  it('waits for a pod, prints its lines as they arrive, and continues with the next attempt (Q-C3)', async () => {
    const { code, output, streams, errors } = await follow(
      [
        { pods: [], status: {} },
        { pods: ['pod-1'], status: RUNNING },
        { pods: ['pod-1'], status: RUNNING },
        { pods: ['pod-1', 'pod-2'], status: RUNNING },
        { pods: ['pod-1', 'pod-2'], status: DONE },
      ],
      [kubeError('BadRequest'), ['one\ntw', `o https://a.example/?sig=${CANARY}\nend`], ['three\n']],
      '--lines=5',
    );
    expect(code, errors).to.equal(0);
    expect(output).to.equal('one\ntwo https://a.example/?[redacted]\nend\nthree\n');
    expect(streams.map(({ path, query }) => [path.split('/').at(-2), query])).to.deep.equal([
      ['pod-1', { container: 'zipper', follow: true, tailLines: 5 }],
      ['pod-1', { container: 'zipper', follow: true, tailLines: 5 }],
      ['pod-2', { container: 'zipper', follow: true }],
    ]);
  });

  it('prints lines as text, and with -o json as they are (Q-C16)', async () => {
    const states = [
      { pods: ['pod-1'], status: RUNNING },
      { pods: ['pod-1'], status: DONE },
    ];
    const line = JSON.stringify({ level: 'info', time: TIME, process: 'zipper', message: 'begin', files: 2 });
    expect((await follow(states, [[`${line}\nplain\n`]])).output).to.equal(
      `${TIME} INFO  begin  files=2\nplain\n`,
    );
    expect((await follow(states, [[`${line}\nplain\n`]], '-o', 'json')).output).to.equal(`${line}\nplain\n`);
  });

  it('says why a finished job has no log, and which permission is missing (Q-C3)', async () => {
    const gone = await follow([{ pods: [], status: DONE }], []);
    expect([gone.code, gone.output]).to.deep.equal([4, '']);
    expect(gone.errors).to.contain('its pods were deleted');
    const refused = await follow([{ pods: ['pod-1'], status: RUNNING }], [kubeError('Forbidden')]);
    expect(refused.code).to.equal(3);
    expect(refused.errors).to.contain('pods/log');
  });

  it('ends when the reader of its output has left (Q-C3)', async () => {
    const left = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const printed = await run(
      ['logs', NAME, '-f'],
      {
        request: ({ path }) =>
          Promise.resolve(
            path.endsWith('/pods') ? { metadata: {}, items: [aPod('p')] } : aZipJob({ status: RUNNING }),
          ),
        stream: () => Promise.resolve(Readable.from([Buffer.from('one\ntwo\n')])),
      },
      { terminal: { print: (text) => (text === '' ? Promise.resolve() : Promise.reject(left)) } },
    );
    expect([printed.code, printed.errors]).to.deep.equal([0, '']);
  });
});

describe('zipjobs job list --watch', () => {
  function watch(lists: readonly (readonly ZipJob[] | Error)[]) {
    const controller = new AbortController();
    let count = -1;
    return run(
      ['list', '--watch'],
      {
        request: () => {
          count += 1;
          const list = lists[count];
          if (list === undefined) controller.abort(new DOMException('interrupted', 'AbortError'));
          return list instanceof Error
            ? Promise.reject(list)
            : Promise.resolve({ metadata: {}, items: list ?? [] });
        },
      },
      { signal: controller.signal },
    );
  }
  function job(name: string, status: ZipJobStatus) {
    return aZipJob({ metadata: { name }, spec: { key: `${name.slice(-1)}.zip` }, status });
  }

  it('prints the jobs, then a line for each change, until it is interrupted (Q-C3)', async () => {
    const { code, output, errors } = await watch([
      [job('zip-a', running('p'))],
      [job('zip-a', running('p'))],
      kubeError('Unreachable'),
      [job('zip-a', finishedAs('Succeeded')), job('zip-b', { phase: 'Queued' })],
    ]);
    expect(code).to.equal(130);
    expect(errors).to.match(/Watching continues\nzipjobs: interrupted\n$/);
    const lines = output.trimEnd().split('\n');
    expect(lines.map((line) => line.split(/ {2,}/).slice(1, 3).join(' '))).to.deep.equal([
      'KEY STATE',
      'a.zip Running',
      'a.zip Succeeded',
      'b.zip Queued',
    ]);
  });

  it('refuses -o json and --history (Q-C3)', async () => {
    const kube = { request: () => Promise.reject(new Error('not needed')) };
    for (const args of [
      ['list', '--watch', '-o', 'json'],
      ['list', '--watch', '--history'],
      ['logs', NAME, '--follow', '-o', 'yaml'],
    ])
      expect((await run(args, kube)).code).to.equal(2);
  });
});
