import { expect } from 'chai';
import type { WebhookState } from '#crds/zip-job.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { deliveryLog } from '#dashboard/pages/webhook/delivery-log.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

const withWebhook = (name: string, webhook: WebhookState) =>
  toListedJob(aZipJob({ metadata: { name }, status: { phase: 'Succeeded', webhook } }));
const at = (seconds: number): string => new Date(seconds * 1000).toISOString();

describe('deliveryLog', () => {
  it('leaves out jobs without a delivery', () => {
    const jobs = [
      toListedJob(aZipJob()),
      withWebhook('a', { state: 'NotConfigured' }),
      withWebhook('b', { state: 'Pending', log: [] }),
    ];
    expect(deliveryLog(jobs)).to.deep.equal([]);
  });

  it('shows the last attempt of each job, newest first', () => {
    const jobs = [
      withWebhook('old', {
        state: 'Delivered',
        attempts: 1,
        log: [{ at: at(1), durationMs: 5, status: 204 }],
      }),
      withWebhook('new', {
        state: 'Pending',
        attempts: 2,
        nextAttemptAt: at(9),
        log: [
          { at: at(2), durationMs: 5, status: 500 },
          { at: at(3), durationMs: 6, error: 'timeout' },
        ],
      }),
    ];
    expect(deliveryLog(jobs)).to.deep.equal([
      {
        at: at(3),
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/jobs/new`,
        state: 'Pending',
        attempts: 2,
        response: 'timeout',
        durationMs: 6,
        nextAttemptAt: at(9),
      },
      {
        at: at(1),
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/jobs/old`,
        state: 'Delivered',
        attempts: 1,
        response: 'HTTP 204',
        durationMs: 5,
        nextAttemptAt: null,
      },
    ]);
  });

  it('is limited to fifty jobs', () => {
    const jobs = Array.from({ length: 60 }, (_, n) =>
      withWebhook(`job-${n}`, { state: 'Delivered', log: [{ at: at(n), durationMs: 1, status: 200 }] }),
    );
    const rows = deliveryLog(jobs);
    expect(rows).to.have.lengthOf(50);
    expect(rows[0]?.at).to.equal(at(59));
  });
});
