/**
 * Loaded before a program by `--import`, in tests only: every resolver of the program asks a name server that never
 * responds, so that every lookup hangs. Addresses need no lookup.
 */
import { createSocket } from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';

const socket = createSocket('udp4').bind(0, '127.0.0.1').unref();
await once(socket, 'listening');
const server = `127.0.0.1:${socket.address().port}`;

dns.Resolver = class extends dns.Resolver {
  constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
    super(...options);
    this.setServers([server]);
  }
};
syncBuiltinESMExports();
