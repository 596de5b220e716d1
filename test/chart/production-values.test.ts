import { readFile } from 'node:fs/promises';
import { expect } from 'chai';

const PRODUCTION = 'test/chart/values/production.yaml';

describe('the values for production', () => {
  it('have at most ten lines', async () => {
    expect((await readFile(PRODUCTION, 'utf8')).trimEnd().split('\n')).to.have.length.at.most(10);
  });

  for (const file of ['README.md', 'docs/install.md'])
    it(`are in ${file}`, async () => {
      expect(await readFile(file, 'utf8')).to.contain(
        `\`\`\`yaml\n${await readFile(PRODUCTION, 'utf8')}\`\`\`\n`,
      );
    });
});
