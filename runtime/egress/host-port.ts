import { isIPv6 } from 'node:net';

export interface HostPort {
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number | undefined;
}

const WITH_PORT = /^(?:\[(.+)\]|([^:]+)):(\d+)$/;

/** Reads `host` or `host:port`. Pure. */
export function parseHostPort(text: string): HostPort {
  const [, ipv6, other, port] = WITH_PORT.exec(text) ?? [];
  return { host: ipv6 ?? other ?? text, port: port === undefined ? undefined : Number(port) };
}

/** `host:port`, with brackets around an IPv6 address. Only the host without a port. */
export function formatHostPort({ host, port }: HostPort): string {
  if (port === undefined) return host;
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}
