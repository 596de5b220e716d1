import { expect } from 'chai';
import type { JobWebhookState, WebhookState, ZipJob } from '#crds/zip-job.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { createKnownJobs } from '#dashboard/live/known-jobs.ts';
import { toListedJob } from '#dashboard/live/listed-job.ts';
import { type DeliveryLog, deliveryLog as deliveryLogOf } from '#dashboard/webhook/delivery-log.ts';
import { ANY_DELIVERY as ALL, type DeliveryQuery } from '#dashboard/webhook/delivery-query.ts';
import { createFakeObjects, createFakeObjectsKeptAs } from '#test/support/builders/fake-objects.ts';
import { aZipJob, NAMESPACE } from '#test/support/builders/objects.ts';

function withWebhook(name: string, webhook: JobWebhookState): ZipJob {
  return aZipJob({ metadata: { name }, status: { phase: 'Succeeded', webhook } });
}

/** The log of these jobs, as the watch of the dashboard would show it. */
function deliveryLog(given: readonly ZipJob[], query: DeliveryQuery, page = 1): DeliveryLog {
  const jobs = createKnownJobs();
  const zipJobs = createFakeObjectsKeptAs(toListedJob, { onChange: (change) => jobs.note(change) });
  for (const job of given) zipJobs.put(job);
  const caches = { zipJobs: zipJobs.reflector, zipProjects: createFakeObjects<ZipProject>().reflector };
  return deliveryLogOf({ caches, jobs }, { namespace: NAMESPACE, query, page });
}

function at(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

describe('deliveryLog', () => {
  it('leaves out jobs without a delivery', () => {
    const jobs = [
      aZipJob(),
      withWebhook('a', { state: 'NotConfigured' }),
      withWebhook('b', { state: 'Pending', log: [] }),
    ];
    expect(deliveryLog(jobs, ALL)).to.deep.equal({
      rows: [],
      page: 1,
      pages: 1,
      first: 1,
      total: 0,
      failed: 0,
      isEmpty: true,
    });
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
          { at: at(2), durationMs: 5, bytes: 1200, attempt: 1, status: 500 },
          { at: at(3), durationMs: 6, bytes: 1200, attempt: 2, error: 'timeout' },
        ],
      }),
    ];
    expect(deliveryLog(jobs, ALL).rows).to.deep.equal([
      {
        at: at(3),
        name: 'new',
        id: 'new',
        endpoint: '',
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/webhook/deliveries/new`,
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
        id: 'old',
        endpoint: '',
        key: 'out/archive.zip',
        href: `/projects/${NAMESPACE}/webhook/deliveries/old`,
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

  it('has a row for each endpoint of a job, which names it and links to it', () => {
    const log = [{ at: at(1), durationMs: 5, status: 204 }];
    const endpoints = [{ name: 'audit', state: 'Delivered', log }] as const;
    const { rows } = deliveryLog([withWebhook('a', { state: 'Delivered', log, endpoints })], ALL);
    expect(rows.map(({ id, endpoint, href }) => [id, endpoint, href])).to.have.deep.members([
      ['a', '', `/projects/${NAMESPACE}/webhook/deliveries/a`],
      ['a/audit', 'audit', `/projects/${NAMESPACE}/webhook/deliveries/a?endpoint=audit`],
    ]);
  });

  it('has pages of 25 jobs, in both directions (Q-U15)', () => {
    const jobs = Array.from({ length: 60 }, (_, n) =>
      withWebhook(`job-${n}`, { state: 'Delivered', log: [{ at: at(n), durationMs: 1, status: 200 }] }),
    );
    function page(wanted: number) {
      const { rows, ...log } = deliveryLog(jobs, ALL, wanted);
      return { ...log, names: rows.map(({ name }) => name) };
    }
    expect(page(1)).to.deep.include({ page: 1, pages: 3, first: 1, total: 60 });
    expect(page(1).names).to.have.lengthOf(25).and.include.members(['job-59', 'job-35']);
    expect(page(2).names).to.have.lengthOf(25).and.include.members(['job-34', 'job-10']);
    expect(page(3)).to.deep.include({ first: 51 });
    expect(page(3).names).to.have.lengthOf(10).and.include('job-0');
    expect(page(99)).to.deep.equal(page(3));
    expect(page(-1)).to.deep.equal(page(1));
  });

  it('filters by result and event before it limits', () => {
    function sent(n: number, state: WebhookState['state'], phase: 'Succeeded' | 'Failed' = 'Succeeded') {
      return aZipJob({
        metadata: { name: `job-${n}` },
        status: { phase, webhook: { state, log: [{ at: at(n), durationMs: 1, status: 500 }] } },
      });
    }
    const jobs = [
      sent(0, 'Exhausted', 'Failed'),
      sent(1, 'Exhausted'),
      ...Array.from({ length: 60 }, (_, n) => sent(n + 2, 'Delivered')),
      sent(70, 'Pending'),
    ];
    function names(query: DeliveryQuery): readonly string[] {
      return deliveryLog(jobs, query).rows.map(({ name }) => name);
    }
    expect(names({ ...ALL, result: 'failed' })).to.deep.equal(['job-1', 'job-0']);
    expect(names({ ...ALL, result: 'failed', event: 'FAILED' })).to.deep.equal(['job-0']);
    expect(names({ ...ALL, result: 'pending' })).to.deep.equal(['job-70']);
    expect(names({ ...ALL, result: 'pending', event: 'FAILED' })).to.deep.equal([]);
    expect(deliveryLog(jobs, { ...ALL, result: 'pending', event: 'FAILED' })).to.include({
      total: 0,
      isEmpty: false,
    });
    expect(deliveryLog(jobs, ALL)).to.include({ total: 63, failed: 2 });
  });
});
