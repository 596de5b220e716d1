import { expect } from 'chai';
import { createCookies } from '#dashboard/cookies.ts';
import { FORMAT } from '#dashboard/format.ts';
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

describe('createCookies', () => {
  const secure = createCookies({ isSecure: true });

  it('binds cookies to this host and to HTTPS, unless plain HTTP is allowed', () => {
    expect(secure.write('session', 'x', { sameSite: 'Strict' })).to.equal(
      '__Host-zipjobs-session=x; Path=/; HttpOnly; SameSite=Strict; Secure',
    );
    const plain = createCookies({ isSecure: false });
    expect(plain.write('session', 'x', { sameSite: 'Lax', maxAgeSeconds: 5 })).to.equal(
      'zipjobs-session=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=5',
    );
  });

  it('deletes a cookie immediately', () => {
    expect(secure.write('session', '', { sameSite: 'Strict' })).to.contain('Max-Age=0');
  });

  it('reads only its own cookies, and none that is sent twice', () => {
    const header = 'session=a; __Host-zipjobs-session=b; __Host-zipjobs-session2=c';
    expect(secure.read(header, 'session')).to.equal('b');
    expect(secure.read(`${header}; __Host-zipjobs-session=d`, 'session')).to.equal(undefined);
    expect(secure.read(undefined, 'session')).to.equal(undefined);
  });
});

describe('FORMAT', () => {
  it('formats sizes', () => {
    const sizes = [0, 1, 1023, 1024, 1536, 150 * 1024 ** 2, 5 * 1024 ** 3].map(FORMAT.bytes);
    expect(sizes).to.deep.equal(['0 B', '1 B', '1023 B', '1.0 KiB', '1.5 KiB', '150 MiB', '5.0 GiB']);
  });

  it('formats durations with their two largest units', () => {
    const texts = [-5, 0, 999, 12_000, 90_000, 3_600_000, 90_061_000].map(FORMAT.duration);
    expect(texts).to.deep.equal(['0 s', '0 s', '0 s', '12 s', '1 min 30 s', '1 h', '1 d 1 h']);
  });

  it('encodes every part of a path', () => {
    expect(FORMAT.path('projects', 'a/../b', '?')).to.equal('/projects/a%2F..%2Fb/%3F');
  });

  it('formats counts with singular and plural', () => {
    expect([
      FORMAT.count(1, 'job'),
      FORMAT.count(2, 'job'),
      FORMAT.count(1234, 'entry', 'entries'),
    ]).to.deep.equal(['1 job', '2 jobs', '1,234 entries']);
  });
});
