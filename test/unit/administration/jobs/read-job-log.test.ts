import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type JobLog, readJobLog } from '#administration/jobs/read-job-log.ts';
import type { ZipJobStatus } from '#crds/zip-job.ts';
import { toError } from '#runtime/errors.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

const CANARY = 'cAnArY0123456789';

const POD = { metadata: { name: 'pod-1', namespace: 'demo' }, spec: {}, status: {} };

function read(log: string, zipJob = aZipJob(), items: readonly unknown[] = [POD]): Promise<JobLog> {
  const kube: Pick<KubeClient, 'server' | 'request' | 'stream'> = {
    server: 'https://example.test',
    request: () => Promise.resolve({ metadata: {}, items }),
    stream: () => Promise.resolve(Readable.from([log])),
  };
  return readJobLog(kube as KubeClient, zipJob, { lines: 500, signal: AbortSignal.timeout(60_000) });
}

describe('readJobLog', () => {
  it('redacts each line', async () => {
    const { pod, lines } = await read(`one https://user:${CANARY}@host/\ntwo Bearer ${CANARY}\n`);
    expect(pod).to.equal('pod-1');
    expect(lines).to.deep.equal(['one https://host/', 'two [redacted]']);
  });

  it('says whether the job has no pod yet or its pods were deleted, and which settings keep them longer (G2)', async () => {
    function refusal(status: ZipJobStatus) {
      return read('', aZipJob({ status }), []).catch((error: unknown) => toError(error).message);
    }
    expect(await refusal({ phase: 'Queued' }))
      .to.contain('it has no pod yet')
      .and.not.contain('deleted');
    expect(await refusal(finishedAs('Failed')))
      .to.contain('its pods were deleted')
      .and.to.contain('SUCCEEDED_POD_TTL_SECONDS')
      .and.to.contain('FAILED_POD_TTL_SECONDS');
    const { startedAt: _startedAt, ...neverStarted } = finishedAs('Cancelled');
    expect(await refusal(neverStarted))
      .to.contain('it finished without an attempt')
      .and.not.contain('deleted');
    expect(await refusal({ ...neverStarted, attemptsTotal: 1 })).to.contain('its pods were deleted');
  });

  it('has the last lines that fit into its bytes, because Kubernetes would leave out the end (Q-U29)', async () => {
    const lines = Array.from({ length: 12_000 }, (_, n) => `${n} ${'x'.repeat(1_000)}`);
    const asked: number[] = [];
    const kube: Pick<KubeClient, 'server' | 'request' | 'stream'> = {
      server: 'https://example.test',
      request: () => Promise.resolve({ metadata: {}, items: [POD] }),
      stream: ({ query = {} }) => {
        asked.push(Number(query['tailLines']));
        const text = lines.slice(-Number(query['tailLines'])).join('\n');
        return Promise.resolve(Readable.from([text.slice(0, Number(query['limitBytes']))]));
      },
    };
    const signal = AbortSignal.timeout(60_000);
    const { lines: read } = await readJobLog(kube as KubeClient, aZipJob(), { lines: 100_000, signal });
    expect(read.at(-1)).to.equal(lines.at(-1));
    expect(read).to.have.length.above(1_000);
    expect(asked).to.have.length.below(5);
  });

  it('cuts long lines, and lets other requests run while it redacts a log of 4 MiB (N3)', async () => {
    const line = `${'a.b.c '.repeat(10_000)} Bearer ${CANARY}`;
    const state = { isDone: false, others: 0 };
    const reading = read(`${line}\n`.repeat(70)).finally(() => {
      state.isDone = true;
    });
    while (!state.isDone) {
      state.others += 1;
      await setImmediate();
    }
    const { lines } = await reading;
    expect(lines).to.have.lengthOf(70);
    for (const one of lines) {
      expect(one.length).to.be.below(16_500);
      expect(one).to.contain('[truncated:').and.not.contain(CANARY);
    }
    expect(state.others).to.be.above(10);
  });
});
