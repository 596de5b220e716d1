import { sized } from '#test/support/sized.ts';
import { expectNoneLost } from '#test/support/worlds/killed-deliveries.ts';

const DELIVERIES = sized(80, 1000);
/** Every other one is between the delivery and the response, the others between the response and the record. */
const KILLS = sized(4, 50);

describe('webhooks while their sender is killed', function () {
  this.timeout(600_000);

  it(`are all delivered, ${DELIVERIES} of them despite ${KILLS} kills between delivery and record, and a kill repeats only a few (W16)`, () =>
    expectNoneLost({
      namespace: 'webhook-kills',
      deliveries: DELIVERIES,
      kills: KILLS,
      limitMs: 500_000,
    }));
});
