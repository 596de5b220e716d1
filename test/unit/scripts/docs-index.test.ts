import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { linksOf } from '#scripts/find-broken-links.ts';

describe('docs/README.md', () => {
  it('leads to every document', () => {
    const index = 'docs/README.md';
    const targets = linksOf(index, readFileSync(index, 'utf8')).map(({ target }) => target);
    const documents = globSync('docs/{,install/}*.md').filter((path) => path !== index);
    expect(documents.length).to.be.above(20);
    expect(targets).to.include.members(documents);
  });
});
