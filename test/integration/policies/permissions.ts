/** The permissions in docs/security.md, tried with every token. */
import { expect } from 'chai';
import { documentedTables } from '../../permissions/permission-table.ts';
import { surveyPermissions } from '../../permissions/survey.ts';
import type { World } from './world.ts';

export function describePermissions(theWorld: () => World): void {
  it("are those of docs/security.md (otherwise run 'npm run permissions -- --write') (N10, N24)", async () => {
    expect(await surveyPermissions(theWorld())).to.equal(await documentedTables());
  });
}
