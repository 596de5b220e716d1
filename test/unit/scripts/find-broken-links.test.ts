import { expect } from 'chai';
import { anchorsOf, linksOf, mentionsOf } from '#scripts/find-broken-links.ts';

describe('the links that docs:check verifies', () => {
  it('are those of a Markdown file to files and to headings, from the root of the repository', () => {
    const markdown =
      'See [a](../README.md), [b](adr/0001-x.md#result)\nand [c](#here), [web](https://example.com).';
    expect(linksOf('docs/install.md', markdown)).to.deep.equal([
      { line: 1, text: '../README.md', target: 'README.md', anchor: '' },
      { line: 1, text: 'adr/0001-x.md#result', target: 'docs/adr/0001-x.md', anchor: 'result' },
      { line: 2, text: '#here', target: 'docs/install.md', anchor: 'here' },
    ]);
  });

  it('leave out code', () => {
    expect(linksOf('a.md', '```md\n[a](b.md)\n```\n`[c](d.md)` and [e](f.md)')).to.deep.equal([
      { line: 4, text: 'f.md', target: 'f.md', anchor: '' },
    ]);
  });

  it('are also the documents that code and templates name', () => {
    expect(mentionsOf('see docs/install/eks.md#trusted-proxies. Not other/docs/a.md')).to.deep.equal([
      {
        line: 1,
        text: 'docs/install/eks.md#trusted-proxies',
        target: 'docs/install/eks.md',
        anchor: 'trusted-proxies',
      },
    ]);
  });

  it('have the anchors of GitHub', () => {
    const markdown =
      '# Inline files (`data:` URLs)\n## [Test](a.md) a bucket\n```sh\n# no heading\n```\n## Test a bucket';
    expect([...anchorsOf(markdown)]).to.deep.equal([
      'inline-files-data-urls',
      'test-a-bucket',
      'test-a-bucket-1',
    ]);
  });
});
