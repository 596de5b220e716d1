import { expect } from 'chai';
import { createWebhookSecrets } from '#controller/webhook/webhook-secret.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';

const NOW = new Date('2026-05-04T12:00:00Z');

describe('createWebhookSecrets', () => {
  it('reads a Secret once for deliveries that start together, and again for later ones (W17)', async () => {
    const read: string[] = [];
    const secretsOf = createWebhookSecrets({
      get: (namespace) => {
        read.push(namespace);
        return namespace === 'broken' ? Promise.reject(new Error('refused')) : Promise.resolve(undefined);
      },
    });
    const together = Array.from({ length: 500 }, () =>
      secretsOf({ namespace: 'team-a', name: DEFAULT_ENDPOINT }, NOW),
    );
    await Promise.all([...together, secretsOf({ namespace: 'team-b', name: DEFAULT_ENDPOINT }, NOW)]);
    expect(read).to.deep.equal(['team-a', 'team-b']);

    await secretsOf({ namespace: 'team-a', name: DEFAULT_ENDPOINT }, NOW);
    await secretsOf({ namespace: 'broken', name: DEFAULT_ENDPOINT }, NOW).catch(() => undefined);
    await secretsOf({ namespace: 'broken', name: DEFAULT_ENDPOINT }, NOW).catch(() => undefined);
    expect(read).to.deep.equal(['team-a', 'team-b', 'team-a', 'broken', 'broken']);
  });
});
