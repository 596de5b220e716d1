import { expect } from 'chai';
import type { DeliveryTask } from '#controller/webhook/dispatcher.ts';
import { createPlanDelivery } from '#controller/webhook/next-delivery.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';
import { aZipJob, aZipProject } from '#test/support/builders/objects.ts';
import { finishedAs } from '#test/support/builders/zip-job-statuses.ts';

const url = 'https://hooks.example/';
const WITHOUT = { ...aZipProject(), spec: { webhook: { url } } };
const WITH: ZipProject = {
  ...aZipProject(),
  spec: { webhook: { url, endpoints: [{ name: 'audit', url }] } },
};

/** A delivery to the endpoint `audit`, planned with this project in the cache. */
function plan(project: ZipProject): {
  readonly task: DeliveryTask;
  readonly cache: (next: ZipProject) => void;
} {
  const events = ['COMPLETED'] as const;
  const spec = { ...aZipJob().spec, webhook: { url, events, endpoints: [{ name: 'audit', url, events }] } };
  let cached = project;
  const planDelivery = createPlanDelivery({
    errorHelpUrl: 'https://help.example',
    findProject: () => cached,
    deliver: () => Promise.reject(new Error('nothing is sent')),
    readWebhookSecret: () => Promise.reject(new Error('nothing is sent')),
    clock: createManualClock(),
  });
  return {
    task: planDelivery({ ...aZipJob({ status: finishedAs('Succeeded') }), spec }, 'audit'),
    cache: (next) => {
      cached = next;
    },
  };
}

describe('planDelivery', () => {
  it('does not want a delivery whose endpoint was removed while it waited', () => {
    const { task, cache } = plan(WITH);
    expect(task.isWanted()).to.equal(true);
    cache(WITHOUT);
    expect(task.isWanted()).to.equal(false);
  });

  it('wants a delivery to a new endpoint that the cached project does not have yet', () => {
    const { task, cache } = plan(WITHOUT);
    expect(task.isWanted()).to.equal(true);
    cache(WITH);
    expect(task.isWanted()).to.equal(true);
  });
});
