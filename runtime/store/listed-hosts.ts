/** The operator's lists of stores and token services: each entry is `host` or `host:port`. */
import { portOfUrl } from '../egress/open-socket.ts';

/** True if an entry names the host of the URL together with its port. */
export function isListedWithPort(url: URL, hosts: readonly string[]): boolean {
  const wanted = `${url.hostname}:${portOfUrl(url)}`;
  return hosts.some((host) => host.toLowerCase() === wanted);
}

/** True if an entry names the host of the URL, with its port or without one. */
export function isListed(url: URL, hosts: readonly string[]): boolean {
  return isListedWithPort(url, hosts) || hosts.some((host) => host.toLowerCase() === url.hostname);
}
