import { expect } from 'chai';
import { assertTlsVerification } from '#runtime/egress/tls-verification.ts';
import { ConfigError } from '#runtime/errors.ts';

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
