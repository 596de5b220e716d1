import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { ApiContext } from '#api/http/context.ts';
import { createCountRequests } from '#api/http/count-requests.ts';
import { createApiMetrics } from '#api/metrics.ts';
import { createProjectLabels } from '#runtime/metrics/project-labels.ts';
import { systemClock } from '#runtime/time/clock.ts';

function aContext(status: number, namespace?: string): ApiContext {
  return { status, state: namespace === undefined ? {} : { principal: { namespace } } } as ApiContext;
}

describe('createCountRequests', () => {
  it('counts a request for its project, and one without a valid token for none (Q-P13)', async () => {
    const registry = new Registry();
    const labels = createProjectLabels({ clock: systemClock, isReady: () => true });
    const count = createCountRequests(createApiMetrics(registry, labels));
    await count(aContext(201, 'acme'), () => Promise.resolve());
    await count(aContext(429, 'acme'), () => Promise.resolve());
    for (let n = 0; n < 1000; n += 1) await count(aContext(401), () => Promise.resolve());
    let failure: unknown;
    try {
      await count(aContext(500, 'acme'), () => Promise.reject(new Error('aborted')));
    } catch (error) {
      failure = error;
    }
    expect(failure).to.be.an('error');
    const lines = (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('zip_api_requests_total{') && !line.endsWith(' 0'));
    expect(lines).to.have.members([
      'zip_api_requests_total{project="acme",status="2xx"} 1',
      'zip_api_requests_total{project="acme",status="4xx"} 1',
      'zip_api_requests_total{project="acme",status="5xx"} 1',
      'zip_api_requests_total{project="",status="4xx"} 1000',
    ]);
  });
});
