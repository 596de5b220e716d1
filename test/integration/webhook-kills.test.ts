import { expectNoneLost } from '../support/killed-deliveries.ts';

describe('webhooks while their sender is killed', function () {
  this.timeout(180_000);

  it('all arrive, over 6 kills between sending and writing down, and a kill repeats a few at most (W16)', () =>
    expectNoneLost({ namespace: 'webhook-kills', deliveries: 60, kills: 6, limitMs: 120_000 }));
});
