import { expect } from 'chai';
import { pino } from 'pino';
import { createLingeringPods } from '#controller/zip-job/lifetime/lingering-pods.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Pod } from '#runtime/kube/resources.ts';
import { objectKey } from '#runtime/kube/types.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { ago, aPod } from '#test/support/builders/objects.ts';
import { disrupted, ended, endedBesideSidecar } from '#test/support/builders/pod-statuses.ts';

function setUp(refusals = 0) {
  const clock = createManualClock();
  const stop = new AbortController();
  const calls: unknown[] = [];
  const role = { isOurs: true };
  let left = refusals;
  const lingeringPods = createLingeringPods({
    clock,
    signal: stop.signal,
    leads: () => role.isOurs,
    log: pino({ level: 'silent' }),
    pods: {
      apply: (object) => {
        left -= 1;
        if (left >= 0) throw new KubeError('The API server is unavailable', { code: 'ServerError' });
        calls.push(object['status']);
        return Promise.resolve(aPod(object.metadata.name));
      },
      delete: (_namespace, name, options) => {
        calls.push({ deleted: name, ...options });
        return Promise.resolve(true);
      },
    },
  });
  function see(pod: Pod): void {
    lingeringPods.see({ kind: 'set', key: objectKey(pod), object: pod, before: undefined });
  }
  return { clock, stop, role, calls, see, lingeringPods };
}

const deleted = { deleted: 'p1', uid: 'uid-p1', gracePeriodSeconds: 0 };

describe('createLingeringPods', () => {
  for (const [exitCode, phase] of [
    [0, 'Succeeded'],
    [12, 'Failed'],
    [137, 'Failed'],
  ] as const)
    it(`deletes a pod that a sidecar keeps running 30 s after exit code ${exitCode}, as ${phase} (X35)`, async () => {
      const { clock, calls, see } = setUp();
      see(aPod('p1', { status: endedBesideSidecar({ exitCode }) }));
      await clock.advance(29_000);
      // Another change of the pod does not extend the time.
      see(aPod('p1', { status: endedBesideSidecar({ exitCode }) }));
      expect(calls).to.deep.equal([]);
      await clock.advance(1_000);
      expect(calls).to.deep.equal([{ phase }, deleted]);
    });

  for (const [what, pod] of [
    ['has ended', aPod('p1', { status: ended({ exitCode: 31 }) })],
    ['runs', aPod('p1')],
    ['was disrupted', aPod('p1', { status: { ...disrupted(143), phase: 'Running' } })],
    [
      'is being deleted',
      aPod('p1', { metadata: { deletionTimestamp: ago(1) }, status: endedBesideSidecar({ exitCode: 0 }) }),
    ],
  ] as const)
    it(`leaves a pod alone that ${what} (X35)`, async () => {
      const { clock, calls, see } = setUp();
      see(pod);
      await clock.advance(60_000);
      expect(calls).to.deep.equal([]);
    });

  it('leaves a pod alone whose sidecar ends in time (X35)', async () => {
    const { clock, calls, see } = setUp();
    see(aPod('p1', { status: endedBesideSidecar({ exitCode: 0 }) }));
    await clock.advance(5_000);
    see(aPod('p1', { status: ended({ exitCode: 0 }) }));
    await clock.advance(60_000);
    expect({ calls, pending: clock.pending }).to.deep.equal({ calls: [], pending: 0 });
  });

  it('tries again after an error, and waits until this process leads (X35)', async () => {
    const { clock, calls, see, role } = setUp(1);
    role.isOurs = false;
    see(aPod('p1', { status: endedBesideSidecar({ exitCode: 0 }) }));
    await clock.advance(35_000);
    role.isOurs = true;
    await clock.advance(10_000);
    expect(calls).to.deep.equal([]);
    await clock.advance(10_000);
    expect(calls).to.deep.equal([{ phase: 'Succeeded' }, deleted]);
  });

  it('stops its timers when the process ends (X35)', () => {
    const { clock, stop, see } = setUp();
    see(aPod('p1', { status: endedBesideSidecar({ exitCode: 0 }) }));
    stop.abort();
    expect(clock.pending).to.equal(0);
  });
});
