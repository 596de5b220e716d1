import { readFileSync } from 'node:fs';
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  ClientSecretBasic,
  type Configuration,
  type CustomFetch,
  calculatePKCECodeChallenge,
  customFetch,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import { Agent, fetch, type RequestInit } from 'undici';
import { AppError, ConfigError } from '#runtime/errors.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { parseCertificates } from '#runtime/tls/certificates.ts';
import { createTlsConnector } from '#runtime/tls/connector.ts';
import { onlyTrust, type Trust } from '#runtime/tls/trust.ts';
import type { DashboardConfig } from '../config.ts';

/** What the browser keeps while it is at the identity provider. */
export interface Pending {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Sign-in by OpenID Connect: authorization code with PKCE. */
export interface IdentityProvider extends AsyncDisposable {
  begin(): Promise<{ readonly url: string; readonly pending: Pending }>;
  /** Exchanges the code in the callback query for an ID token. */
  finish(query: string, pending: Pending): Promise<string>;
}

/** The identity provider is not responding, or its response does not match our request. */
export class IdentityProviderError extends AppError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'IdentityProvider', retryable: true, cause });
  }
}

/** How long the discovered keys and endpoints of the issuer are cached. */
const CONFIGURATION_AGE_MS = 600_000;
const TIMEOUT_SECONDS = 10;
export const CALLBACK_PATH = '/sign-in/oidc/callback';

type OidcSettings = Pick<
  DashboardConfig,
  | 'dashboardUrl'
  | 'dashboardOidcIssuer'
  | 'dashboardOidcClientId'
  | 'dashboardOidcClientSecretFile'
  | 'dashboardOidcScopes'
  | 'dashboardOidcCaFile'
>;

function readText(env: string, file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError(`${env}: cannot read ${file}`, error);
  }
}

function check(settings: OidcSettings): void {
  for (const [env, value] of [
    ['DASHBOARD_URL', settings.dashboardUrl],
    ['DASHBOARD_OIDC_CLIENT_ID', settings.dashboardOidcClientId],
  ])
    if (value === '') throw new ConfigError(`DASHBOARD_OIDC_ISSUER requires ${env}. Set ${env} too`);
}

/** Discovers the issuer on first use, because it may be unavailable at startup. */
function createConfigure(
  settings: OidcSettings,
  { agent, clock }: { readonly agent: Agent; readonly clock: Pick<Clock, 'monotonicMs'> },
): () => Promise<Configuration> {
  const { dashboardOidcIssuer, dashboardOidcClientId, dashboardOidcClientSecretFile: file } = settings;
  const authentication =
    file === '' ? None() : ClientSecretBasic(readText('DASHBOARD_OIDC_CLIENT_SECRET_FILE', file));
  // The library's types accept only the global fetch; undici's fetch takes an agent with its own CA.
  const fetchByAgent: CustomFetch = async (url, options) =>
    (await fetch(url, { ...options, dispatcher: agent } as RequestInit)) as unknown as Response;
  let known: { readonly configuration: Configuration; readonly untilMs: number } | undefined;
  return async () => {
    if (known !== undefined && known.untilMs > clock.monotonicMs()) return known.configuration;
    const configuration = await discovery(
      new URL(dashboardOidcIssuer),
      dashboardOidcClientId,
      undefined,
      authentication,
      { timeout: TIMEOUT_SECONDS, [customFetch]: fetchByAgent },
    );
    known = { configuration, untilMs: clock.monotonicMs() + CONFIGURATION_AGE_MS };
    return configuration;
  };
}

async function orFailed<T>(message: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw new IdentityProviderError(message, error);
  }
}

/** If the issuer has its own authority, no other is trusted for it. */
function issuerTrust(caFile: string, trust: Trust): Trust {
  return caFile === ''
    ? trust
    : onlyTrust(
        parseCertificates(readText('DASHBOARD_OIDC_CA_FILE', caFile), `DASHBOARD_OIDC_CA_FILE: ${caFile}`),
      );
}

/** @throws ConfigError when a setting is missing or a file cannot be read */
export function createIdentityProvider(
  settings: OidcSettings,
  { clock, trust }: { readonly clock: Pick<Clock, 'monotonicMs'>; readonly trust: Trust },
): IdentityProvider {
  check(settings);
  const { dashboardOidcCaFile: caFile, dashboardOidcScopes: scopes } = settings;
  const agent = new Agent({ connect: createTlsConnector(issuerTrust(caFile, trust)) });
  const configure = createConfigure(settings, { agent, clock });
  const redirectUri = new URL(CALLBACK_PATH, settings.dashboardUrl).href;
  return {
    begin: () =>
      orFailed('The identity provider is not responding.', async () => {
        const pending = {
          state: randomState(),
          nonce: randomNonce(),
          verifier: randomPKCECodeVerifier(),
        };
        const url = buildAuthorizationUrl(await configure(), {
          redirect_uri: redirectUri,
          scope: scopes.join(' '),
          code_challenge: await calculatePKCECodeChallenge(pending.verifier),
          code_challenge_method: 'S256',
          state: pending.state,
          nonce: pending.nonce,
        });
        return { url: url.href, pending };
      }),
    finish: (query, { state, nonce, verifier }) =>
      orFailed('The identity provider did not sign you in.', async () => {
        const tokens = await authorizationCodeGrant(await configure(), new URL(query, redirectUri), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        return tokens.id_token ?? '';
      }),
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}
