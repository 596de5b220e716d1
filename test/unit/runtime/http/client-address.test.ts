import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { createReadForwarded } from '#runtime/http/client-address.ts';

const read = createReadForwarded(['10.0.0.0/8', 'fd00::/8']);

function request(remoteAddress: string, headers: Record<string, string>) {
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
}

describe('createReadForwarded', () => {
  const rows = [
    {
      name: 'ignores headers from an untrusted peer',
      peer: '8.8.8.8',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'http' },
      want: { address: '8.8.8.8', protocol: undefined, isUnreadable: false },
    },
    {
      name: 'accepts headers from a trusted proxy',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-forwarded-proto': 'HTTP' },
      want: { address: '1.1.1.1', protocol: 'http', isUnreadable: false },
    },
    {
      name: 'ignores addresses that the client added',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '6.6.6.6, 1.1.1.1, 10.2.2.2' },
      want: { address: '1.1.1.1', protocol: undefined, isUnreadable: false },
    },
    {
      name: 'takes the protocol from the first proxy of a chain',
      peer: 'fd00::1',
      headers: { 'x-forwarded-proto': 'https, http' },
      want: { address: 'fd00::1', protocol: 'https', isUnreadable: false },
    },
    {
      name: 'accepts an IPv4-mapped peer',
      peer: '::ffff:10.0.0.1',
      headers: { 'x-forwarded-for': '1.1.1.1' },
      want: { address: '1.1.1.1', protocol: undefined, isUnreadable: false },
    },
    {
      name: 'returns the IPv4 address of a mapped peer',
      peer: '::ffff:8.8.8.8',
      headers: {},
      want: { address: '8.8.8.8', protocol: undefined, isUnreadable: false },
    },
    {
      name: 'returns the first address if all are trusted proxies',
      peer: '10.0.0.1',
      headers: { 'x-forwarded-for': '10.9.9.9, 10.8.8.8' },
      want: { address: '10.9.9.9', protocol: undefined, isUnreadable: false },
    },
  ];
  for (const { name, peer, headers, want } of rows) {
    it(name, () => {
      expect(read(request(peer, headers))).to.deep.equal(want);
    });
  }

  const nodes = [
    { node: '1.2.3.4:50123', address: '1.2.3.4' },
    { node: '1.2.3.4:_gateway', address: '1.2.3.4' },
    { node: '"1.2.3.4:50123"', address: '1.2.3.4' },
    { node: '"1.2.3.4"', address: '1.2.3.4' },
    { node: '2001:DB8::17', address: '2001:db8::17' },
    { node: '[2001:db8::17]', address: '2001:db8::17' },
    { node: '[2001:db8::17]:4711', address: '2001:db8::17' },
    { node: '"[2001:db8::17]"', address: '2001:db8::17' },
    { node: '"[2001:db8::17]:4711"', address: '2001:db8::17' },
    { node: '"[2001:db8::17]:_port.1"', address: '2001:db8::17' },
    { node: '"2001:db8::17"', address: '2001:db8::17' },
    { node: '"\\[2001:db8::17\\]"', address: '2001:db8::17' },
    { node: '[::ffff:1.2.3.4]:80', address: '1.2.3.4' },
    { node: '::ffff:1.2.3.4:80', address: '1.2.3.4' },
    { node: '2001:db8:1:2:3:4:5:6:50123', address: '2001:db8:1:2:3:4:5:6' },
    { node: 'fe80::1%eth0', address: 'fe80::1' },
    { node: '[fe80::1%25eth0]:80', address: 'fe80::1' },
  ];
  for (const { node, address } of nodes)
    it(`reads the client from the node ${node} (N23)`, () => {
      const want = { address, protocol: undefined, isUnreadable: false };
      expect(read(request('10.0.0.1', { 'x-forwarded-for': `6.6.6.6, ${node}` }))).to.deep.equal(want);
    });

  for (const proxy of ['10.2.2.2:443', '10.2.2.2:_out', '[::ffff:10.2.2.2]:1', '"[fd00::2]:443"'])
    it(`recognizes the trusted proxy ${proxy} and reads the node before it (N23)`, () => {
      const want = { address: '1.2.3.4', protocol: undefined, isUnreadable: false };
      expect(read(request('10.0.0.1', { 'x-forwarded-for': `6.6.6.6, 1.2.3.4:5, ${proxy}` }))).to.deep.equal(
        want,
      );
    });

  const unreadable = [
    'unknown',
    'Unknown:80',
    '"unknown"',
    '_hidden',
    '"_SEVKISEK:_p"',
    'unix:',
    'example.com',
    'example.com:80',
    '1.2.3.4:',
    '1.2.3.4:123456',
    '1.2.3.4:_',
    '1.2.3.4:80:80',
    '1.2.3',
    '16909060',
    '0x1.2.3.4',
    '01.2.3.4',
    '1.2.3.4/32',
    '[1.2.3.4]:80',
    '[2001:db8::17',
    '2001:db8::17]:80',
    '[2001:db8::17]80',
    '[2001:db8::17]:',
    '[]',
    '"1.2.3.4',
    '1.2.3.4"',
    '""',
    '"',
    "'1.2.3.4'",
    'for=1.2.3.4',
    '%eth0',
    '1.2.3.4 5.6.7.8',
  ];
  for (const node of unreadable) {
    function want(address: string) {
      return { address, protocol: undefined, isUnreadable: true };
    }
    it(`counts the unreadable node ${node} for the proxy that connected (N23)`, () => {
      expect(read(request('10.0.0.1', { 'x-forwarded-for': `6.6.6.6, ${node}` }))).to.deep.equal(
        want('10.0.0.1'),
      );
    });

    it(`counts the unreadable node ${node} for the proxy that reported it (N23)`, () => {
      expect(
        read(request('10.0.0.1', { 'x-forwarded-for': `6.6.6.6, ${node}, 10.2.2.2:443` })),
      ).to.deep.equal(want('10.2.2.2'));
    });
  }

  it('ignores unreadable nodes of a client (N23)', () => {
    const want = { address: '1.2.3.4', protocol: undefined, isUnreadable: false };
    expect(read(request('10.0.0.1', { 'x-forwarded-for': 'unknown, "a, 1.2.3.4:5' }))).to.deep.equal(want);
    expect(read(request('8.8.8.8', { 'x-forwarded-for': 'unknown' }))).to.deep.equal({
      ...want,
      address: '8.8.8.8',
    });
  });

  it('refuses an invalid range', () => {
    expect(() => createReadForwarded(['10.0.0.0'])).to.throw(/TRUSTED_PROXIES.*10\.0\.0\.0/);
  });

  for (const range of ['0.0.0.0/0', '::/0'])
    it(`refuses to trust every address: ${range} (N13)`, () => {
      expect(() => createReadForwarded([range])).to.throw(/contains every address/);
    });
});
