import { expect } from 'chai';
import { afterDelivery, firstWebhookState } from '#controller/webhook/retries.ts';
import type { WebhookState } from '#crds/zip-job.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { ago, aZipJob, NOW } from '#test/support/builders/objects.ts';

const schedule = aConfig().webhookSchedule;

function pending(attempts: number): WebhookState {
  return {
    state: 'Pending',
    deliveryId: 'msg_1_COMPLETED',
    attempts,
    nextAttemptAt: ago(0),
  };
}

function aResponse(more: { status?: number; error?: string }) {
  return {
    delivery: { at: ago(0), durationMs: 3, ...more },
  };
}

function secondsUntilNext({ nextAttemptAt }: WebhookState): number {
  return (Date.parse(nextAttemptAt ?? '') - NOW.getTime()) / 1000;
}

describe('afterDelivery', () => {
  it('tries ten times over about 75 hours, with at most 10 % jitter per wait (W7)', () => {
    let state = pending(0);
    const waits: number[] = [];
    while (state.state === 'Pending') {
      state = afterDelivery(state, aResponse({ status: 500 }), { schedule, now: NOW });
      if (state.state === 'Pending') waits.push(secondsUntilNext(state));
    }
    expect(state).to.include({ state: 'Exhausted', attempts: 10, lastStatus: 500 });
    expect(state.log).to.have.length(10);
    expect(state.log?.map(({ attempt }) => attempt)).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const planned = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(waits).to.have.length(planned.length);
    for (const [index, wait] of waits.entries())
      expect(wait).to.be.within(planned[index] ?? 0, (planned[index] ?? 0) * 1.1 + 1);
  });

  const cases = [
    { name: '200', given: { status: 200 }, want: 'Delivered' },
    { name: '204', given: { status: 204 }, want: 'Delivered' },
    { name: '301', given: { status: 301 }, want: 'Pending' },
    { name: '404', given: { status: 404 }, want: 'Pending' },
    { name: '410', given: { status: 410 }, want: 'Exhausted' },
    { name: '503', given: { status: 503 }, want: 'Pending' },
    { name: 'no response', given: { error: 'timeout' }, want: 'Pending' },
  ];
  for (const { name, given, want } of cases)
    it(`returns ${want} after ${name} (W9)`, () => {
      expect(afterDelivery(pending(0), aResponse(given), { schedule, now: NOW }).state).to.equal(want);
    });

  it('follows Retry-After up to one day (W9)', () => {
    const slow = { ...aResponse({ status: 429 }), retryAfterMs: 3_600_000 };
    expect(secondsUntilNext(afterDelivery(pending(0), slow, { schedule, now: NOW }))).to.equal(3600);
    const absurd = { ...aResponse({ status: 429 }), retryAfterMs: 1e12 };
    expect(secondsUntilNext(afterDelivery(pending(0), absurd, { schedule, now: NOW }))).to.equal(86_400);
  });
});

describe('firstWebhookState', () => {
  const webhook = { url: 'https://hook.example', events: ['COMPLETED' as const] };
  it('makes the webhook due at once when the endpoint subscribes to the event', () => {
    expect(firstWebhookState(aZipJob({ spec: { webhook } }), 'COMPLETED', NOW)).to.include({
      state: 'Pending',
      attempts: 0,
      nextAttemptAt: ago(0),
    });
  });
  it('has a state for each endpoint, and the same ID of the event at each', () => {
    const endpoints = [
      { name: 'audit', events: ['COMPLETED' as const] },
      { name: 'errors', events: ['FAILED' as const] },
    ];
    const zipJob = aZipJob({ spec: { webhook: { ...webhook, endpoints } } });
    const first = firstWebhookState(zipJob, 'COMPLETED', NOW);
    const { endpoints: others, ...ofDefault } = first;
    expect(others).to.deep.equal([
      { name: 'audit', ...ofDefault },
      { name: 'errors', state: 'NotConfigured' },
    ]);
  });
  it('returns NotConfigured for any other event', () => {
    expect(firstWebhookState(aZipJob({ spec: { webhook } }), 'FAILED', NOW)).to.deep.equal({
      state: 'NotConfigured',
    });
    expect(firstWebhookState(aZipJob(), 'COMPLETED', NOW)).to.deep.equal({ state: 'NotConfigured' });
  });
});
