import { expect } from 'chai';
import { localPath } from '#dashboard/local-path.ts';

describe('localPath', () => {
  const kept = ['/', '/projects', '/projects/team-a?page=2&q=%20'];
  for (const path of kept) {
    it(`keeps ${path}`, () => expect(localPath(path)).to.equal(path));
  }
  const elsewhere = [
    null,
    undefined,
    '',
    'projects',
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/\t/evil.example',
    '/a b',
    '/ü',
    'javascript:alert(1)',
  ];
  for (const path of elsewhere) {
    it(`returns / instead of ${JSON.stringify(path)}`, () => expect(localPath(path)).to.equal('/'));
  }
});
