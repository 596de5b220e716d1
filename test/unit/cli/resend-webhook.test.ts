import { expect } from 'chai';
import { addJobCommands } from '#cli/job-commands.ts';
import { ANNOTATIONS } from '#crds/api-group.ts';
import { endpointAnnotation } from '#crds/webhook-endpoints.ts';
import type { JobWebhookState, ZipJob } from '#crds/zip-job.ts';
import { aZipJob, NAME } from '#test/support/builders/objects.ts';
import { TEAM } from '#test/support/worlds/dashboard-project.ts';
import { type Printed, runProgram } from './fake-session.ts';

const LOG = [{ at: '2026-01-01T00:00:00Z', durationMs: 1, status: 503 }] as const;
const UNSENT = { state: 'Exhausted', attempts: 0, log: LOG } as const;

/** Runs the command beside a controller that ends the delivery at once, with this state. */
function resend(endpoint: string, webhookWith: (replayNonce: string) => JobWebhookState): Promise<Printed> {
  let nonce = '';
  function respond({ method, body }: { readonly method?: string; readonly body?: unknown }): ZipJob {
    const { metadata } = (method === 'PATCH' ? body : {}) as Partial<ZipJob>;
    nonce = metadata?.annotations?.[endpointAnnotation(ANNOTATIONS.replayWebhook, endpoint)] ?? nonce;
    return aZipJob({ status: { phase: 'Failed', webhook: webhookWith(nonce) } });
  }
  return runProgram(
    {
      groups: [addJobCommands],
      kube: {
        server: 'https://example.test',
        request: (request) => Promise.resolve().then(() => respond(request)),
        stream: () => Promise.reject(new Error('not faked')),
        [Symbol.asyncDispose]: () => Promise.resolve(),
      },
    },
    ['job', 'resend-webhook', NAME, '--endpoint', endpoint, '-n', TEAM],
  );
}

describe('zipjobs job resend-webhook', () => {
  it('prints the response of the endpoint', async () => {
    const { code, output } = await resend('default', (replayNonce) => ({
      ...UNSENT,
      attempts: 1,
      replayNonce,
    }));
    expect([code, output]).to.deep.equal([1, `Event of job "${NAME}" not delivered (HTTP 503).\n`]);
  });

  it('says that nothing was sent to a disabled endpoint, and not what it responded before', async () => {
    const { code, output } = await resend('default', (replayNonce) => ({ ...UNSENT, replayNonce }));
    expect(code).to.equal(1);
    expect(output)
      .to.contain(`Event of job "${NAME}" not sent. The webhook endpoint of the project is disabled`)
      .and.not.contain('503');
  });

  it('says that nothing was sent to an endpoint that was removed', async () => {
    const { output } = await resend('audit', (replayNonce) => ({
      state: 'Delivered',
      endpoints: [{ ...UNSENT, name: 'audit', reason: 'EndpointRemoved', replayNonce }],
    }));
    expect(output).to.contain(`Event of job "${NAME}" not sent. The project no longer has`);
  });

  it('names the endpoints that receive the event, if the chosen one does not', async () => {
    const { code, errors } = await resend('default', () => ({
      state: 'NotConfigured',
      endpoints: [{ ...UNSENT, name: 'audit' }],
    }));
    expect(code).to.equal(3);
    expect(errors).to.contain(
      `Cannot resend the webhook of job "${NAME}" to endpoint "default", which does not receive this event. Choose one that does: audit`,
    );
  });
});
