import { expect } from 'chai';
import { ConfigError } from '#runtime/errors.ts';
import { assertTlsVerification } from '#runtime/process/tls-verification.ts';

describe('assertTlsVerification', () => {
  it('refuses to start without certificate checks (D14)', () => {
    expect(() => assertTlsVerification({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).to.throw(
      ConfigError,
      'NODE_TLS_REJECT_UNAUTHORIZED',
    );
  });

  it('does nothing otherwise', () => {
    assertTlsVerification({});
    assertTlsVerification({ NODE_TLS_REJECT_UNAUTHORIZED: '1' });
  });
});
