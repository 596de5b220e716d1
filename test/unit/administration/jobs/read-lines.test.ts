import { expect } from 'chai';
import { readLines } from '#administration/jobs/read-lines.ts';

describe('readLines', () => {
  it('splits a line at its first space', () => {
    expect(readLines('https://a.example/x.pdf reports/May 2026.pdf').files).to.deep.equal([
      { url: 'https://a.example/x.pdf', filename: 'reports/May 2026.pdf' },
    ]);
  });

  it('takes the name from the path of the URL', () => {
    function names(text: string) {
      return readLines(text).files.map(({ filename }) => filename);
    }
    expect(names('https://a.example/b/c%20d.pdf?sig=1#x')).to.deep.equal(['c d.pdf']);
    expect(names('https://a.example/%E0%A4%A')).to.deep.equal(['%E0%A4%A']);
    expect(names('\n https://a.example/ \ndata:,x\nnonsense')).to.deep.equal([
      'file-2',
      'file-3.txt',
      'file-4',
    ]);
  });

  it('skips empty lines, and numbers the others as the field does', () => {
    const { files, lines } = readLines('\r\nhttps://a.example/a\r\n\r\n  \r\nhttps://a.example/b\tx\r\n');
    expect(files.map(({ filename }) => filename)).to.deep.equal(['a', 'x']);
    expect(lines).to.deep.equal([2, 5]);
  });
});
