import { expect } from 'chai';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { createDeliveries, type Deliveries, type DeliveryKey } from '#dashboard/live/deliveries.ts';
import { type ListedJob, toListedJob } from '#dashboard/live/listed-job.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const ALL = { result: '', event: '', endpoint: '' } as const;
const FAILED = { ...ALL, result: 'failed' } as const;

function keyOf(name: string): string {
  return `${NAMESPACE}/${name}`;
}

function job(name: string, second: number, state: WebhookState['state']): ListedJob {
  const at = new Date(second * 1000).toISOString();
  const log = [{ at, durationMs: 1, status: 500 }];
  return toListedJob(
    aZipJob({ metadata: { name }, status: { phase: 'Succeeded', webhook: { state, log } } }),
  );
}

/** The delivery of a job to the default endpoint. */
function toDefault(name: string): DeliveryKey {
  return { job: keyOf(name), endpoint: DEFAULT_ENDPOINT };
}

describe('createDeliveries', () => {
  let deliveries: Deliveries;
  function set(object: ListedJob, before?: ListedJob): void {
    deliveries.note({ kind: 'set', key: keyOf(object.metadata.name), object, before });
  }
  beforeEach(() => {
    deliveries = createDeliveries();
  });

  it('lists the newest ones in order, whatever the order of arrival', () => {
    for (const second of [3, 9, 1, 7, 5, 8]) set(job(`job-${second}`, second, 'Delivered'));
    expect(deliveries.newest(NAMESPACE, ALL, { most: 3 })).to.deep.equal(
      ['job-9', 'job-8', 'job-7'].map(toDefault),
    );
    expect(deliveries.newest(NAMESPACE, ALL, { most: 9 })).to.have.lengthOf(6);
  });

  it('lists pages in order, also far from the newest ones (Q-U15)', () => {
    for (const n of Array.from({ length: 600 }).keys()) set(job(`job-${n}`, (n * 7) % 600, 'Delivered'));
    const all = deliveries.newest(NAMESPACE, ALL, { most: 600 });
    expect(all[0]).to.deep.equal(toDefault('job-257'));
    for (const skip of [0, 25, 225, 250, 575, 600])
      expect(deliveries.newest(NAMESPACE, ALL, { most: 25, skip }), `${skip}`).to.deep.equal(
        all.slice(skip, skip + 25),
      );
  });

  it('moves a job when its delivery changes, and forgets it with its deletion', () => {
    const [first, other] = [job('a', 1, 'Pending'), job('b', 2, 'Delivered')];
    set(first);
    set(other);
    const failed = job('a', 3, 'Exhausted');
    set(failed, first);
    expect(deliveries.count(NAMESPACE, FAILED)).to.equal(1);
    expect(deliveries.count(NAMESPACE, ALL)).to.equal(2);
    expect(deliveries.newest(NAMESPACE, ALL, { most: 9 })).to.deep.equal(['a', 'b'].map(toDefault));
    deliveries.note({ kind: 'deleted', key: keyOf('a'), before: failed });
    expect(deliveries.newest(NAMESPACE, ALL, { most: 9 })).to.deep.equal([toDefault('b')]);
    expect(deliveries.count(NAMESPACE, FAILED)).to.equal(0);
  });

  it('has one for each endpoint of a job', () => {
    const log = [{ at: new Date(1_000).toISOString(), durationMs: 1, status: 204 }];
    const audit = { name: 'audit', state: 'Exhausted', log } as const;
    const webhook = {
      state: 'Delivered',
      log,
      endpoints: [audit, { name: 'silent', state: 'Pending' }],
    } as const;
    const object = toListedJob(aZipJob({ metadata: { name: 'a' }, status: { phase: 'Succeeded', webhook } }));
    set(object);
    expect(deliveries.newest(NAMESPACE, FAILED, { most: 9 })).to.deep.equal([
      { job: keyOf('a'), endpoint: 'audit' },
    ]);
    expect(deliveries.count(NAMESPACE, ALL)).to.equal(2);
    expect(deliveries.newest(NAMESPACE, { ...ALL, endpoint: DEFAULT_ENDPOINT }, { most: 9 })).to.deep.equal([
      toDefault('a'),
    ]);
    expect(deliveries.count(NAMESPACE, { ...FAILED, endpoint: 'audit' })).to.equal(1);
    expect(deliveries.count(NAMESPACE, { ...FAILED, endpoint: DEFAULT_ENDPOINT })).to.equal(0);
    deliveries.note({ kind: 'deleted', key: keyOf('a'), before: object });
    expect(deliveries.count(NAMESPACE, ALL)).to.equal(0);
  });

  it('separates projects, and ignores jobs without a delivery', () => {
    set(toListedJob(aZipJob()));
    set(job('a', 1, 'Delivered'));
    expect(deliveries.count('other', ALL)).to.equal(0);
    expect(deliveries.count(NAMESPACE, ALL)).to.equal(1);
    expect(deliveries.newest(NAMESPACE, { ...ALL, event: 'FAILED' }, { most: 9 })).to.deep.equal([]);
  });
});
