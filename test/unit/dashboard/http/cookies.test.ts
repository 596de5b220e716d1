import { expect } from 'chai';
import { createCookies } from '#dashboard/http/cookies.ts';

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
