import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { type JobLog, readJobLog } from '#administration/read-job-log.ts';
import type { KubeClient } from '#runtime/kube/client.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

const CANARY = 'cAnArY0123456789';

const read = (log: string): Promise<JobLog> => {
  const pod = { metadata: { name: 'pod-1', namespace: 'demo' }, spec: {}, status: {} };
  const kube: Pick<KubeClient, 'server' | 'request' | 'stream'> = {
    server: 'https://example.test',
    request: () => Promise.resolve({ metadata: {}, items: [pod] }),
    stream: () => Promise.resolve(Readable.from([log])),
  };
  return readJobLog(kube as KubeClient, aZipJob(), { lines: 500, signal: AbortSignal.timeout(60_000) });
};

describe('readJobLog', () => {
  it('redacts each line', async () => {
    const { pod, lines } = await read(`one https://user:${CANARY}@host/\ntwo Bearer ${CANARY}\n`);
    expect(pod).to.equal('pod-1');
    expect(lines).to.deep.equal(['one https://host/', 'two [redacted]']);
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
