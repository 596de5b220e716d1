import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { PLURALS } from '#crds/api-group.ts';
import { CRD_TEMPLATES, chartCrds } from '#scripts/sync-crds.ts';
import { type KubeObject, render } from './render.ts';

describe('the definitions of the chart', function () {
  this.timeout(30 * 60_000);

  it("are equal to crds/ (otherwise run 'node scripts/sync-crds.ts')", async () => {
    const wanted = await chartCrds();
    expect(await readdir(CRD_TEMPLATES)).to.have.members([...wanted.keys()]);
    for (const [name, text] of wanted)
      expect(await readFile(join(CRD_TEMPLATES, name), 'utf8')).to.equal(text);
  });

  function isDefinition({ kind }: KubeObject): boolean {
    return kind === 'CustomResourceDefinition';
  }

  it('have the labels of the release and those of commonLabels (X6)', async () => {
    const definitions = (await render({ 'commonLabels.team': 'storage' })).filter(isDefinition);
    expect(definitions).to.have.length(Object.keys(PLURALS).length);
    for (const { metadata } of definitions)
      expect(metadata.labels).to.include({
        'app.kubernetes.io/part-of': 'zipjobs',
        'app.kubernetes.io/managed-by': 'Helm',
        team: 'storage',
      });
  });

  it('remain when the release is removed, or when Argo CD prunes what is no longer in Git (X12)', async () => {
    const definitions = (await render()).filter(isDefinition);
    expect(definitions).to.have.length(Object.keys(PLURALS).length);
    for (const { metadata } of definitions)
      expect(metadata.annotations).to.include({
        'helm.sh/resource-policy': 'keep',
        'argocd.argoproj.io/sync-options': 'Prune=false',
      });
  });
});
