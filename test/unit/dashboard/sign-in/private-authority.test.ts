import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readDashboardConfig } from '#dashboard/config.ts';
import { createIdentityProvider } from '#dashboard/sign-in/identity-provider.ts';
import { errorCode, toError } from '#runtime/errors.ts';
import { createLogger } from '#runtime/log/log.ts';
import { systemClock } from '#runtime/time/clock.ts';
import { createBundleTrust } from '#runtime/tls/bundle-file.ts';
import { startFileOrigin } from '#test/support/servers/file-origin.ts';
import { certificatePath, certificateText, startTlsFront } from '#test/support/servers/tls-front.ts';

function discovery(issuer: string): unknown {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

describe('the certificate authorities of the identity provider', () => {
  const dir = mkdtempSync(join(tmpdir(), 'trust-'));
  after(() => rmSync(dir, { recursive: true }));

  /** The URL of the sign-in page, or the reason of the failure. */
  async function begin(issuer: string, env: Readonly<Record<string, string>>): Promise<string> {
    const config = readDashboardConfig({
      DASHBOARD_URL: 'https://zipjobs.example.com',
      DASHBOARD_OIDC_ISSUER: issuer,
      DASHBOARD_OIDC_CLIENT_ID: 'zipjobs',
      ...env,
    });
    const log = createLogger('test', { level: 'silent' });
    const trust = createBundleTrust(config, { clock: systemClock, log });
    await using provider = createIdentityProvider(config, { clock: systemClock, trust });
    try {
      return (await provider.begin()).url;
    } catch (error) {
      return errorCode(toError(error).cause) ?? 'unknown';
    }
  }

  it('are the public ones, those of the bundle, or only its own (X22)', async () => {
    let issuer = '';
    await using origin = await startFileOrigin({
      routes: {
        '/.well-known/openid-configuration': (_request, response) => {
          response.setHeader('content-type', 'application/json').end(JSON.stringify(discovery(issuer)));
        },
      },
    });
    await using front = await startTlsFront(origin.origin);
    issuer = front.url;
    const bundle = join(dir, 'ca.crt');
    writeFileSync(bundle, front.authority + certificateText('ca.pem'));
    expect(await begin(issuer, {})).to.contain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
    expect(await begin(issuer, { TRUST_BUNDLE_FILE: bundle })).to.contain(`${issuer}/auth?`);
    expect(await begin(issuer, { DASHBOARD_OIDC_CA_FILE: bundle })).to.contain(`${issuer}/auth?`);
    const other = { TRUST_BUNDLE_FILE: bundle, DASHBOARD_OIDC_CA_FILE: certificatePath('ca.pem') };
    expect(await begin(issuer, other)).to.contain('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  });
});
