/** The permissions in docs/security.md, tried with every token. */
import { expect } from 'chai';
import { chosenKubernetes, minorNumber } from '#tools/local-cluster/kubernetes-versions.ts';
import { documentedTables } from '../../permissions/permission-table.ts';
import { surveyPermissions } from '../../permissions/survey.ts';
import type { World } from './world.ts';

export function describePermissions(theWorld: () => World): void {
  it("are those of docs/security.md (otherwise run 'npm run permissions -- --write') (N10, N24)", async () => {
    const documented = await documentedTables();
    const hasServiceCidrs = minorNumber(chosenKubernetes().version) >= 33;
    expect(await surveyPermissions(theWorld())).to.equal(
      hasServiceCidrs ? documented : documented.replace(/^\| `servicecidrs.*\n/m, ''),
    );
  });
}
