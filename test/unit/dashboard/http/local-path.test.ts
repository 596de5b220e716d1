import { expect } from 'chai';
import { localPath } from '#dashboard/http/local-path.ts';

const ORIGIN = 'https://zips.example.com';

/** Published ways around checks of a redirect's target. */
const BYPASSES = [
  'https://evil.example/',
  'HTTPS://evil.example/',
  'https:evil.example',
  'https:/evil.example',
  'https:///evil.example',
  'https:\\\\evil.example',
  'http:evil.example',
  'ftp://evil.example/',
  'evil.example',
  'evil.example/x',
  '//evil.example',
  '//evil.example/x',
  '///evil.example',
  '////evil.example',
  '/////evil.example/x',
  '//evil%E3%80%82example',
  '//evil。example',
  '//127.0.0.1/',
  '//[::1]/',
  '//2130706433/',
  '//user@evil.example/',
  '//zips.example.com@evil.example/',
  '//zips.example.com:443@evil.example/',
  '//evil.example:80/',
  '/\\evil.example',
  '/\\/evil.example',
  '\\/evil.example',
  '\\\\evil.example',
  '\\/\\/evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '\u00a0//evil.example',
  '\u3000//evil.example',
  '/\u200b/evil.example',
  '/%09/evil.example',
  '/%0a/evil.example',
  '/%0d%0a/evil.example',
  '/%0d%0aLocation:%20//evil.example',
  '/projects\r\nLocation: //evil.example',
  '/%2f/evil.example',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/%5c%5cevil.example',
  '/.//evil.example/x',
  '/./\\evil.example/x',
  '/././/evil.example/x',
  '/%2e//evil.example/x',
  '/%2E//evil.example/x',
  '/..//evil.example/x',
  '/%2e%2e//evil.example/x',
  '/.%2e//evil.example/x',
  '/../..//evil.example/x',
  '/projects/..//evil.example/x',
  '/projects/%2e%2e//evil.example/x',
  '/projects/team-a/../..//evil.example/x',
  '/projects\\..\\\\evil.example/x',
  '/projects/..\\\\evil.example/x',
  '/.;//evil.example',
  '/;@evil.example',
  '/@evil.example',
  '/:80//evil.example',
  '/?//evil.example',
  '?//evil.example',
  '#//evil.example',
  '@evil.example',
  ':@evil.example',
  ';@evil.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\tscript:alert(1)',
  'javascript://evil.example/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://evil.example/x',
  'http://dashboard.invalid',
  'http://dashboard.invalid//evil.example',
  '〱evil.example',
] as const;

/** Paths that stay here. A proxy or a browser must not be able to read them otherwise. */
const KEPT = [
  '/',
  '/projects',
  '/new-project',
  '/projects/team-a?page=2&q=%20',
  '/projects/team-a/jobs?key=a%2F%2Fb&to=//evil.example',
  '/projects/team-a/buckets/s3/my.bucket',
];

describe('localPath', () => {
  for (const path of KEPT) {
    it(`keeps ${path}`, () => expect(localPath(path)).to.equal(path));
  }

  it('removes dot segments and a fragment', () =>
    expect(localPath('/projects/./team-a/../team-b#part')).to.equal('/projects/team-b'));

  for (const path of [null, undefined, '', 'projects', '/a b', '/ü']) {
    it(`returns / instead of ${JSON.stringify(path)}`, () => expect(localPath(path)).to.equal('/'));
  }

  it('refuses each of at least 60 published bypasses (N12)', () => {
    expect(new Set(BYPASSES).size).to.be.at.least(60);
    const passed = BYPASSES.filter((path) => localPath(path) !== '/');
    expect(passed).to.deep.equal([]);
  });

  it('returns a path that stays on the origin and that a second check does not change (N12)', () => {
    const parts = [
      '/',
      '//',
      '.',
      '..',
      '%2e',
      '\\',
      '%2f',
      '%5c',
      '?',
      '#',
      '@',
      ':',
      ';',
      'a',
      'evil.example',
    ];
    const paths = parts.flatMap((a) =>
      parts.flatMap((b) => parts.flatMap((c) => parts.map((d) => `/${a}${b}${c}${d}/x`))),
    );
    const escaped = paths.filter((path) => {
      const result = localPath(path);
      return new URL(result, ORIGIN).origin !== ORIGIN || localPath(result) !== result;
    });
    expect(escaped).to.deep.equal([]);
  });
});
