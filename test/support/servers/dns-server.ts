import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** What the server does with queries for a name. Addresses of another family than the one asked for are left out. */
export type DnsResponse =
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The response to a UDP query is truncated, so that only TCP has the addresses. */
  | { readonly kind: 'truncated'; readonly addresses: readonly string[] }
  /** A chain of aliases that leads back to the name. */
  | { readonly kind: 'alias-loop' }
  /** Responds to queries of this family only. */
  | { readonly kind: 'one-family'; readonly family: 4 | 6; readonly addresses: readonly string[] }
  | { readonly kind: 'status'; readonly rcode: 2 | 3 | 5 }
  | { readonly kind: 'never' };

export interface DnsServer extends AsyncDisposable {
  /** `address:port`, for a resolver. */
  readonly address: string;
  /** Every query so far, as `TYPE name`. */
  readonly queries: readonly string[];
}

interface Query {
  readonly name: string;
  readonly family: 4 | 6;
  readonly id: Buffer;
  readonly question: Buffer;
}

const HEADER_BYTES = 12;
const TYPE_AAAA = 28;
const RCODE_MASK = 0x8180;
const TRUNCATED_BIT = 0x0200;
/** A pointer to the name of the question. */
const SAME_NAME = Buffer.from([0xc0, HEADER_BYTES]);

function parse(message: Buffer): Query {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.'),
    family: message.readUInt16BE(at + 1) === TYPE_AAAA ? 6 : 4,
    id: message.subarray(0, 2),
    question: message.subarray(HEADER_BYTES, at + 5),
  };
}

function uint16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}

/** Only full addresses without `::`, and `::1`. */
function bytesOf(address: string, family: 4 | 6): Buffer {
  if (family === 4) return Buffer.from(address.split('.').map(Number));
  if (address === '::1') return Buffer.concat([Buffer.alloc(15), Buffer.from([1])]);
  return uint16(...address.split(':').map((group) => Number.parseInt(group, 16)));
}

function record(type: number, data: Buffer): Buffer {
  return Buffer.concat([SAME_NAME, uint16(type, 1, 0, 0, data.length), data]);
}

function reply(query: Query, flags: number, records: readonly Buffer[]): Buffer {
  return Buffer.concat([
    query.id,
    uint16(RCODE_MASK | flags, 1, records.length, 0, 0),
    query.question,
    ...records,
  ]);
}

/** Undefined: no response. */
function replyTo(query: Query, given: DnsResponse, protocol: 'udp' | 'tcp'): Buffer | undefined {
  function withAddresses(addresses: readonly string[]): Buffer {
    return reply(
      query,
      0,
      addresses
        .filter((address) => address.includes(':') === (query.family === 6))
        .map((address) => record(query.family === 6 ? TYPE_AAAA : 1, bytesOf(address, query.family))),
    );
  }
  switch (given.kind) {
    case 'addresses':
      return withAddresses(given.addresses);
    case 'truncated':
      return protocol === 'udp' ? reply(query, TRUNCATED_BIT, []) : withAddresses(given.addresses);
    case 'alias-loop':
      return reply(query, 0, [record(5, SAME_NAME)]);
    case 'one-family':
      return query.family === given.family ? withAddresses(given.addresses) : undefined;
    case 'status':
      return reply(query, given.rcode, []);
    case 'never':
      return undefined;
  }
}

type OnQuery = (message: Buffer) => Buffer | undefined;

function closeTcp(server: Server): Promise<unknown> {
  return new Promise((resolve) => server.close(resolve));
}

/** DNS over TCP puts the length before each message. Both queries of a lookup may arrive in one segment. */
async function listenTcp(onQuery: OnQuery): Promise<Server> {
  const server = createServer((connection) => {
    connection.on('error', () => connection.destroy());
    connection.on('data', (segment) => {
      for (let at = 0; at + 2 < segment.length; at += 2 + segment.readUInt16BE(at)) {
        const response = onQuery(segment.subarray(at + 2, at + 2 + segment.readUInt16BE(at)));
        if (response) connection.write(Buffer.concat([uint16(response.length), response]));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function listenUdp(port: number, onQuery: OnQuery): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port: from, address }) => {
    const response = onQuery(message);
    if (response) socket.send(response, from, address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/** Another process may use the UDP port with the number of our TCP port. */
const MAX_PORT_TRIES = 20;

async function listen(onQuery: (protocol: 'udp' | 'tcp') => OnQuery) {
  for (let tries = 1; ; tries += 1) {
    const tcp = await listenTcp(onQuery('tcp'));
    const { port } = tcp.address() as AddressInfo;
    try {
      return { tcp, udp: await listenUdp(port, onQuery('udp')), port };
    } catch (error) {
      await closeTcp(tcp);
      if (tries === MAX_PORT_TRIES) throw error;
    }
  }
}

/** A name server on a loopback port, over UDP and TCP. `respond` decides for each name, without its last dot. */
export async function startDnsServer(respond: (name: string) => DnsResponse): Promise<DnsServer> {
  const queries: string[] = [];
  function onQuery(protocol: 'udp' | 'tcp') {
    return (message: Buffer): Buffer | undefined => {
      const query = parse(message);
      queries.push(`${query.family === 6 ? 'AAAA' : 'A'} ${query.name}`);
      return replyTo(query, respond(query.name.toLowerCase()), protocol);
    };
  }
  const { tcp, udp, port } = await listen(onQuery);
  return {
    address: `127.0.0.1:${port}`,
    queries,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([new Promise<void>((resolve) => udp.close(resolve)), closeTcp(tcp)]);
    },
  };
}
