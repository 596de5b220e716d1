import { expect } from 'chai';
import { PROGRAMS } from '#scripts/sync-values.ts';
import { allPods, POD_NAMES } from './all-pods.ts';

/** The variables that Kubernetes sets in pods with service links, for a Service of this name. */
function variablesOf(service: string): RegExp {
  const name = service.toUpperCase().replaceAll('-', '_');
  return new RegExp(
    `^${name}_(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`,
  );
}

describe('the service links of our pods', function () {
  this.timeout(30 * 60_000);

  it('would set our settings', () => {
    const names = Object.values(PROGRAMS).flatMap((settings) =>
      Object.values(settings).map(({ env }) => env),
    );
    const taken = names.filter((name) => ['history', 'admin'].some((one) => variablesOf(one).test(name)));
    expect(new Set(taken)).to.deep.equal(new Set(['HISTORY_PORT', 'ADMIN_PORT']));
  });

  it('are off in every pod of the chart and of the controller (X44)', async () => {
    const pods = await allPods();
    expect([...pods.keys()]).to.have.members(POD_NAMES);
    for (const [name, { spec }] of pods) expect(spec['enableServiceLinks'], name).to.equal(false);
  });
});
