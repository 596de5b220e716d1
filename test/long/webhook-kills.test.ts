import { expectNoneLost } from '#test/support/worlds/killed-deliveries.ts';

describe('a thousand webhooks while their sender is killed', function () {
  this.timeout(600_000);

  it('all arrive, over 50 kills between sending and writing down, and a kill repeats a few at most (W16)', () =>
    expectNoneLost({ namespace: 'webhook-kills', deliveries: 1000, kills: 50, limitMs: 500_000 }));
});
