import { ConfigError } from '../errors.ts';

/** Every process calls this at startup. @throws ConfigError if the environment disables certificate checks */
export function assertTlsVerification(env: Readonly<Record<string, string | undefined>>): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new ConfigError(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off; unset it, and add a private authority to trustBundle of the chart',
    );
}
