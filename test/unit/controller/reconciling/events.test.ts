import { expect } from 'chai';
import { pino } from 'pino';
import { createEvents } from '#controller/reconciling/events.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { Event } from '#runtime/kube/resources.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob, NAME, NAMESPACE } from '#test/support/builders/objects.ts';

function setUp() {
  const events = createFakeObjects<Event>();
  const patches: unknown[] = [];
  const record = createEvents({
    events: {
      create: (event) => events.client.create(event),
      mergePatch: ({ namespace, name }, patch) => {
        patches.push({ name, ...patch });
        return Promise.resolve({ metadata: { namespace, name }, involvedObject: {} });
      },
    },
    kind: 'ZipJob',
    instance: 'controller-0',
    clock: createManualClock(),
    log: pino({ level: 'silent' }),
  });
  return { events, patches, record };
}

const NOTE = {
  type: 'Warning',
  reason: 'AttemptFailed',
  message: 'GET https://h.example/?sig=CANARY failed',
} as const;

describe('createEvents', () => {
  it('records an Event of the ZipJob without the secrets of a signed URL (P8)', async () => {
    const { events, record } = setUp();
    await record(aZipJob(), NOTE);
    const [event] = events.all();
    expect(event).to.deep.include({
      type: 'Warning',
      reason: 'AttemptFailed',
      count: 1,
      involvedObject: {
        apiVersion: 'zipjobs.dev/v1alpha1',
        kind: 'ZipJob',
        name: NAME,
        namespace: NAMESPACE,
        uid: 'uid-zipjob',
      },
    });
    expect(JSON.stringify(event)).to.not.contain('CANARY');
  });

  it('increments the count of a repeated Event instead of creating another', async () => {
    const { events, patches, record } = setUp();
    for (let time = 0; time < 3; time += 1) await record(aZipJob(), NOTE);
    await record(aZipJob(), { ...NOTE, message: 'another' });
    expect(events.all()).to.have.length(2);
    const name = events.all()[0]?.metadata.name;
    const lastTimestamp = '2026-01-02T03:04:05Z';
    expect(patches).to.deep.equal([
      { name, count: 2, lastTimestamp },
      { name, count: 3, lastTimestamp },
    ]);
  });

  it('continues when an Event cannot be recorded', async () => {
    const { events, record } = setUp();
    events.fail(new KubeError('down', { attempt: 'POST', code: 'Unreachable' }));
    await record(aZipJob(), NOTE);
    expect(events.all()).to.deep.equal([]);
  });
});
