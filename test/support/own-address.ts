import { networkInterfaces } from 'node:os';

/** An IPv4 address of this machine other than loopback, where rules for the API server apply. Undefined without one. */
export function ownAddress(): string | undefined {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
}
