import { expectNoneLost } from '#test/support/worlds/killed-deliveries.ts';

describe('a thousand webhooks while their sender is killed', function () {
  this.timeout(600_000);

  it('are all delivered despite 50 kills between delivery and record, and a kill repeats only a few (W16)', () =>
    expectNoneLost({ namespace: 'webhook-kills', deliveries: 1000, kills: 50, limitMs: 500_000 }));
});
