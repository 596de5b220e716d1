import { AppError } from '../../errors.ts';
import type { Purpose } from './proxy.ts';

export type ProxyErrorCode = 'ProxyAuthenticationRequired' | 'ProxyForbidden' | 'ProxyUnavailable';

/** The proxy did not open a tunnel. The message names the purpose of the proxy, never its address or credentials. */
export class ProxyError extends AppError {
  declare readonly code: ProxyErrorCode;

  constructor(
    text: string,
    { code, cause, status }: { code: ProxyErrorCode; cause?: unknown; status?: number },
  ) {
    const details = status === undefined ? {} : { proxyStatus: status };
    super(text, { code, retryable: code === 'ProxyUnavailable', cause, details });
  }
}

/** The error for a response to CONNECT without success. */
export function refusedTunnel(purpose: Purpose, status: number): ProxyError {
  if (status === 407)
    return new ProxyError(
      `the proxy for ${purpose} does not accept our credentials (407); the administrator can change proxy.${purpose}.credentialSecretRef`,
      { code: 'ProxyAuthenticationRequired', status },
    );
  if (status === 403)
    return new ProxyError(`the proxy for ${purpose} refused to connect to this host (403)`, {
      code: 'ProxyForbidden',
      status,
    });
  return new ProxyError(`the proxy for ${purpose} could not connect (status ${status})`, {
    code: 'ProxyUnavailable',
    status,
  });
}

/** The error for a proxy that cannot be reached, or does not respond. */
export function unreachableProxy(purpose: Purpose, cause: unknown): ProxyError {
  return new ProxyError(`the proxy for ${purpose} is unreachable`, { code: 'ProxyUnavailable', cause });
}
