/** The time limits of the chart's hooks. */
import { expect } from 'chai';
import { readMigrateConfig } from '#controller/history/migrate/config.ts';
import { readUninstallConfig } from '#controller/programs/uninstall/config.ts';
import { find, type KubeObject, plainEnv, podOf, refusalOf, render } from './render.ts';

const HISTORY = { 'history.postgres': { host: 'postgres.example.com', existingSecret: 'zipjobs-history' } };

function settingsOf(objects: readonly KubeObject[], job: string) {
  const [container] = podOf(find(objects, 'Job', job)).containers;
  return plainEnv(new Map((container?.env ?? []).map((variable) => [variable.name, variable])));
}

describe('the deadline of a hook', function () {
  this.timeout(30 * 60_000);

  for (const [value, job, read] of [
    ['uninstall.deadlineSeconds', 'zipjobs-uninstall', readUninstallConfig],
    ['history.migration.deadlineSeconds', 'zipjobs-migrate', readMigrateConfig],
  ] as const) {
    it(`leaves its program at least half of it: ${value} (X51)`, async () => {
      for (const seconds of [60, 61, 240]) {
        const objects = await render({ ...HISTORY, [value]: seconds });
        expect(read(settingsOf(objects, job)).limitSeconds).to.equal(seconds - 30);
        expect(find(objects, 'Job', job)['spec']).to.include({ activeDeadlineSeconds: seconds });
      }
    });

    it(`is refused if too little would be left: ${value} (X51)`, async () => {
      for (const seconds of [1, 30, 36, 59])
        expect(await refusalOf({ [value]: seconds })).to.contain(
          `deadlineSeconds': minimum: got ${seconds}, want 60`,
        );
    });
  }

  it('is longer than the checks of the uninstall program need (X51)', () => {
    const env = { POD_NAME: 'p', POD_NAMESPACE: 'n' };
    expect(() => readUninstallConfig({ ...env, LIMIT_SECONDS: '6' })).to.throw('LIMIT_SECONDS');
    const { quietSeconds, limitSeconds } = readUninstallConfig({ ...env, LIMIT_SECONDS: '20' });
    expect(limitSeconds).to.be.at.least(4 * quietSeconds);
  });
});
