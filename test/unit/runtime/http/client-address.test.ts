import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createReadForwarded } from '#runtime/http/client-address.ts';

const read = createReadForwarded(['10.0.0.0/8', 'fd00::/8']);
const request = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe('createReadForwarded', () => {
  const rows = [
    {
      name: 'ignores headers from an untrusted peer',
      peer: '8.8.8.8',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'http' },
      want: { address: '8.8.8.8', protocol: undefined },
    },
    {
      name: 'accepts headers from a trusted proxy',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'HTTP' },
      want: { address: '1.1.1.1', protocol: 'http' },
    },
    {
      name: 'ignores addresses that the client added',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.2.2.2' },
      want: { address: '1.1.1.1', protocol: undefined },
    },
    {
      name: 'takes the protocol from the first proxy of a chain',
      peer: 'fd00::1',
      headers: { 'x-forwarded-proto': 'https, http' },
      want: { address: 'fd00::1', protocol: 'https' },
    },
    {
      name: 'accepts an IPv4-mapped peer',
      peer: '::ffff:10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1' },
      want: { address: '1.1.1.1', protocol: undefined },
    },
    {
      name: 'returns the IPv4 address of a mapped peer',
      peer: '::ffff:8.8.8.8',
      headers: {},
      want: { address: '8.8.8.8', protocol: undefined },
    },
    {
      name: 'returns the first address if all are trusted proxies',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '10.9.9.9, 10.8.8.8' },
      want: { address: '10.9.9.9', protocol: undefined },
    },
  ];
  for (const { name, peer, headers, want } of rows) {
    it(name, () => {
      expect(read(request(peer, headers))).to.deep.equal(want);
    });
  }

  it('refuses an invalid range', () => {
    expect(() => createReadForwarded(['10.0.0.0'])).to.throw(/TRUSTED_PROXIES.*10\.0\.0\.0/);
  });

  for (const range of ['0.0.0.0/0', '::/0'])
    it(`refuses to trust every address: ${range} (N13)`, () => {
      expect(() => createReadForwarded([range])).to.throw(/contains every address/);
    });
});
