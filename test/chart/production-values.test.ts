import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

/** In the order in which the documents show them. */
const FILES = ['production', 'production-ingress'].map((name) => `test/chart/values/${name}.yaml`);

describe('the values for production', () => {
  for (const file of FILES)
    it(`in ${file} have at most ten lines`, async () => {
      expect((await readFile(file, 'utf8')).trimEnd().split('\n')).to.have.length.at.most(10);
    });

  for (const document of ['README.md', 'docs/install.md'])
    it(`are in ${document}, with the Gateway API before an Ingress of any controller (X53)`, async () => {
      const text = await readFile(document, 'utf8');
      const places = [];
      for (const file of FILES)
        places.push(text.indexOf(`\`\`\`yaml\n${await readFile(file, 'utf8')}\`\`\`\n`));
      expect(places.every((place) => place >= 0)).to.equal(true);
      expect(places).to.deep.equal(places.toSorted((a, b) => a - b));
    });

  it('name no ingress controller, and mark the retired one wherever it is named (X53)', async () => {
    for (const file of FILES) expect(await readFile(file, 'utf8')).to.not.contain('nginx');
    const install = await readFile('docs/install.md', 'utf8');
    for (const line of install.split('\n').filter((one) => /\bingress-nginx\b/.test(one)))
      expect(line).to.contain('retired in March 2026');
  });
});
