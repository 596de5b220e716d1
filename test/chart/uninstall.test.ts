/** The uninstall Job without Helm's hooks, as docs/gitops.md runs it. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { helm } from './helm-session.ts';
import { CHART, find, objectsIn, render } from './render.ts';

const REGISTRY = ['--set', 'image.registry=registry.example.com/zipjobs'];

describe('the command of docs/gitops.md that renders the uninstall Job', () => {
  it('prints the objects of the hook, and no others', async () => {
    const page = await readFile('docs/gitops.md', 'utf8');
    const [, documented = ''] =
      /^ *helm (template [^|>]+) > uninstall\.yaml$/m.exec(page.replaceAll(/ \\\n\s*/g, ' ')) ?? [];
    const args = documented
      .trim()
      .split(/\s+/)
      .filter((arg, index, all) => arg !== '--values' && all[index - 1] !== '--values');
    expect(args).to.include.members([CHART, '--show-only']);
    const printed = objectsIn(await helm([...args, ...REGISTRY]));
    const hooks = (await render()).filter(
      ({ metadata }) => metadata.annotations?.['helm.sh/hook'] === 'pre-delete',
    );
    expect(printed).to.have.deep.members(hooks);
    find(printed, 'Job', 'zipjobs-uninstall');
  });
});
