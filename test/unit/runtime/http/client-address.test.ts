import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createReadForwarded } from '#runtime/http/client-address.ts';

const read = createReadForwarded(['10.0.0.0/8', 'fd00::/8']);
const request = (remoteAddress: string, headers: Record<string, string>) =>
  ({ socket: { remoteAddress }, headers }) as unknown as IncomingMessage;

describe('createReadForwarded', () => {
  const rows = [
    {
      name: 'nobody else is believed',
      peer: '8.8.8.8',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'http' },
      want: { address: '8.8.8.8', protocol: undefined },
    },
    {
      name: 'a trusted proxy is',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'HTTP' },
      want: { address: '1.1.1.1', protocol: 'http' },
    },
    {
      name: 'what the client put in front is not',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.2.2.2' },
      want: { address: '1.1.1.1', protocol: undefined },
    },
    {
      name: 'the first proxy of a chain knows the protocol',
      peer: 'fd00::1',
      headers: { 'x-forwarded-proto': 'https, http' },
      want: { address: 'fd00::1', protocol: 'https' },
    },
    {
      name: 'an IPv4 peer may be written as IPv6',
      peer: '::ffff:10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1' },
      want: { address: '1.1.1.1', protocol: undefined },
    },
    {
      name: 'a chain of nothing but proxies gives the farthest',
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

  it('refuses a range that is none', () => {
    expect(() => createReadForwarded(['10.0.0.0'])).to.throw(/TRUSTED_PROXIES.*10\.0\.0\.0/);
  });
});
