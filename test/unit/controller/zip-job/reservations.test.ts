/** Slots and keys are neither held forever nor given up too early. */
import { expect } from 'chai';
import { decide } from '#controller/zip-job/decide.ts';
import { createForget } from '#controller/zip-job/forget.ts';
import type { Observation } from '#controller/zip-job/observation.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob } from '#test/support/builders/objects.ts';
import { anObservation } from '#test/support/builders/observation.ts';
import { config, create, decision, KEY, setUp } from './act-harness.ts';

const later = aZipJob({ metadata: { name: 'later', uid: 'uid-later' } });

describe('the reservation of a job', () => {
  it('is given up when the ZipJob was deleted before it got the reservation', () => {
    const { stored, ledger, memory } = setUp();
    ledger.see({ kind: 'deleted', key: KEY, before: stored });
    expect(ledger.reserve(stored).state).to.equal('reserved');
    createForget({ ledger, memory, dispatcher: { acknowledge: () => undefined, endpoints: () => [] } })(KEY);
    expect(ledger.reserve(later).state).to.equal('reserved');
  });

  it('is given up when a write for the job fails', async () => {
    const { act, stored, ledger, failPatches } = setUp();
    failPatches(new KubeError('denied by a webhook', { attempt: 'PATCH', code: 'Forbidden' }));
    const actions = [{ kind: 'reserve' }, { kind: 'addFinalizer' }, create(stored)] as const;
    const failure = await act(anObservation({ zipJob: stored }), decision({ actions })).catch(
      (error: unknown) => error,
    );
    expect(failure).to.have.property('code', 'Forbidden');
    expect(ledger.reserve(later).state).to.equal('reserved');
  });

  async function afterFailedCreate(code: 'Timeout' | 'ServerError') {
    const { act, stored, ledger, jobs, memory } = setUp();
    jobs.fail(new KubeError('etcdserver: request timed out', { attempt: 'POST', code }));
    await act(
      anObservation({ zipJob: stored }),
      decision({ actions: [{ kind: 'reserve' }, create(stored)] }),
    );
    const refusal = memory.refusal(KEY);
    const position = ledger.position(stored);
    return (seen: Partial<Observation>) =>
      decide(
        anObservation({ zipJob: stored, refusal, position, ...seen }),
        createManualClock().date(),
        config,
      );
  }
  const suspended = aZipJob({ spec: { suspend: true } });
  const reasonsToWait: readonly { readonly name: string; readonly seen: Partial<Observation> }[] = [
    { name: 'nothing else changed', seen: {} },
    { name: 'it was suspended', seen: { zipJob: suspended } },
  ];
  for (const code of ['Timeout', 'ServerError'] as const)
    for (const { name, seen } of reasonsToWait)
      it(`is kept after ${code} until its Job can no longer appear, when ${name}`, async () => {
        const { actions, requeueAfterMs } = (await afterFailedCreate(code))(seen);
        expect(actions.map(({ kind }) => kind)).not.to.include('release');
        expect(requeueAfterMs).to.be.within(500, 1000);
      });
});
