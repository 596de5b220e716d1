import { expect } from 'chai';
import { createWebhookSecrets } from '#controller/webhook/webhook-secret.ts';

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
    const together = Array.from({ length: 500 }, () => secretsOf('team-a', NOW));
    await Promise.all([...together, secretsOf('team-b', NOW)]);
    expect(read).to.deep.equal(['team-a', 'team-b']);

    await secretsOf('team-a', NOW);
    await secretsOf('broken', NOW).catch(() => undefined);
    await secretsOf('broken', NOW).catch(() => undefined);
    expect(read).to.deep.equal(['team-a', 'team-b', 'team-a', 'broken', 'broken']);
  });
});
