import { expect } from 'chai';
import type { WebhookState } from '#crds/zip-job.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { deliveryLog } from '#dashboard/pages/webhook/delivery-log.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const withWebhook = (name: string, webhook: WebhookState) =>
  toListedJob(aZipJob({ metadata: { name }, status: { phase: 'Succeeded', webhook } }));
const ALL = { result: '', event: '' } as const;
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe('deliveryLog', () => {
  it('leaves out jobs without a delivery', () => {
    const jobs = [
      toListedJob(aZipJob()),
      withWebhook('a', { state: 'NotConfigured' }),
      withWebhook('b', { state: 'Pending', log: [] }),
    ];
    expect(deliveryLog(jobs, ALL)).to.deep.equal({ rows: [], total: 0, failed: 0, isEmpty: true });
  });

  it('shows the last attempt of each job, newest first', () => {
    const jobs = [
      withWebhook('old', {
        state: 'Delivered',
        attempts: 1,
        // As older versions wrote it.
        log: [{ at: at(1), durationMs: 5, status: 204 }],
      }),
      withWebhook('new', {
        state: 'Pending',
        attempts: 2,
        nextAttemptAt: at(9),
        log: [
          { at: at(2), durationMs: 5, bytes: 1200, attempt: 1, status: 500 },
          { at: at(3), durationMs: 6, bytes: 1200, attempt: 2, error: 'timeout' },
        ],
      }),
    ];
    expect(deliveryLog(jobs, ALL).rows).to.deep.equal([
      {
        at: at(3),
        name: 'new',
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/jobs/new`,
        event: 'COMPLETED',
        result: 'pending',
        response: 'timeout',
        durationMs: 6,
        bytes: 1200,
        attempt: 2,
        nextAttemptAt: at(9),
      },
      {
        at: at(1),
        name: 'old',
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/jobs/old`,
        event: 'COMPLETED',
        result: 'delivered',
        response: 'HTTP 204',
        durationMs: 5,
        bytes: null,
        attempt: null,
        nextAttemptAt: null,
      },
    ]);
  });

  it('is limited to fifty jobs', () => {
    const jobs = Array.from({ length: 60 }, (_, n) =>
      withWebhook(`job-${n}`, { state: 'Delivered', log: [{ at: at(n), durationMs: 1, status: 200 }] }),
    );
    const { rows, total } = deliveryLog(jobs, ALL);
    expect(rows).to.have.lengthOf(50);
    expect(rows[0]?.at).to.equal(at(59));
    expect(total).to.equal(60);
  });

  it('filters by result and event before it limits', () => {
    const sent = (n: number, state: WebhookState['state'], phase: 'Succeeded' | 'Failed' = 'Succeeded') =>
      toListedJob(
        aZipJob({
          metadata: { name: `job-${n}` },
          status: { phase, webhook: { state, log: [{ at: at(n), durationMs: 1, status: 500 }] } },
        }),
      );
    const jobs = [
      sent(0, 'Exhausted', 'Failed'),
      sent(1, 'Exhausted'),
      ...Array.from({ length: 60 }, (_, n) => sent(n + 2, 'Delivered')),
      sent(70, 'Pending'),
    ];
    const names = (query: Parameters<typeof deliveryLog>[1]): readonly string[] =>
      deliveryLog(jobs, query).rows.map(({ name }) => name);
    expect(names({ result: 'failed', event: '' })).to.deep.equal(['job-1', 'job-0']);
    expect(names({ result: 'failed', event: 'FAILED' })).to.deep.equal(['job-0']);
    expect(names({ result: 'pending', event: '' })).to.deep.equal(['job-70']);
    expect(names({ result: 'pending', event: 'FAILED' })).to.deep.equal([]);
    expect(deliveryLog(jobs, { result: 'pending', event: 'FAILED' })).to.include({
      total: 0,
      isEmpty: false,
    });
    expect(deliveryLog(jobs, ALL)).to.include({ total: 63, failed: 2 });
  });
});
