import { BlockList } from 'node:net';
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { toBlockList } from '#runtime/egress/guarded-agent.ts';
import { ConfigError } from '#runtime/errors.ts';

function policyOf(options: Partial<Parameters<typeof createEgressPolicy>[0]> = {}) {
  return createEgressPolicy({ allowCidrs: [], denyCidrs: [], ownAddresses: [], ...options });
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** The first and last address of each blocked range, and known addresses that return credentials. */
const REFUSED = words(`
  0.0.0.0 0.255.255.255
  10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255
  100.64.0.0 100.127.255.255 100.100.100.200
  127.0.0.0 127.0.0.1 127.255.255.254 127.255.255.255
  169.254.0.0 169.254.169.254 169.254.170.2 169.254.170.23 169.254.20.10 169.254.255.255
  192.0.0.0 192.0.0.1 192.0.0.170 192.0.0.192 192.0.0.255
  192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255
  192.88.99.0 192.88.99.255 192.31.196.0 192.31.196.255 192.52.193.0 192.52.193.255 192.175.48.0 192.175.48.255
  198.18.0.0 198.19.255.255
  224.0.0.0 224.0.0.1 239.255.255.255 240.0.0.0 240.0.0.1 255.255.255.255
  168.63.129.16
  :: ::1 ::7f00:1 ::ffff:0:7f00:1 64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::a00:1 100::1 100:0:0:1::1
  1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 4000::1 5f00::1 8000::1
  fc00::1 fd00:ec2::254 fd00:ec2::23 fd20:ce::254 fe80::1 fec0::1 ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
  2001::1 2001:1ff:ffff::1 2001:db8::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff
  2002:7f00:1:: 2002:808:808::1 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1
  ::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:a9fe:a9fe ::ffff:0.0.0.0 ::ffff:10.0.0.1
`);

/** The addresses next to the blocked ranges. */
const ALLOWED = words(`
  1.0.0.0 9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0
  100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  191.255.255.255 192.0.1.0 192.0.1.255 192.0.3.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0
  192.88.98.255 192.88.100.0 192.31.195.255 192.31.197.0 192.52.192.255 192.52.194.0 192.175.47.255 192.175.49.0
  198.17.255.255 198.20.0.0 223.255.255.255 168.63.129.15 168.63.129.17
  2606:4700:4700::1111 2001:4860:4860::8888 2a00::1 2001:200::1 2001:db7::1 2001:db9::1 2003::1
  2620:4f:7fff::1 2620:4f:8001::1 3ffe::1 2000::1
  ::ffff:8.8.8.8 ::ffff:808:808
`);

function familyOf(ip: string): 'ipv4' | 'ipv6' {
  return ip.includes(':') ? 'ipv6' : 'ipv4';
}

describe('createEgressPolicy', () => {
  const policy = policyOf();
  for (const ip of REFUSED) {
    it(`refuses ${ip} (S1)`, () => {
      expect(policy.judgeAddress(ip)).to.have.property('refused').that.is.a('string');
    });
  }
  for (const ip of ALLOWED) {
    it(`allows ${ip} (S1)`, () => {
      expect(policy.judgeAddress(ip)).to.equal('allowed');
    });
  }

  it('refuses text that is not a canonical address', () => {
    for (const text of words('127.1 0x7f.1 2130706433 example.com 1.2.3 1.2.3.4.5 [::1]'))
      expect(policy.judgeAddress(text), text).to.deep.equal({ refused: 'not-an-address' });
    expect(policy.judgeAddress('')).to.deep.equal({ refused: 'not-an-address' });
    expect(policy.judgeAddress('fe80::1%eth0')).to.deep.equal({ refused: 'zone' });
    expect(policy.judgeAddress('2606:4700::1%1')).to.deep.equal({ refused: 'zone' });
  });

  it('agrees with net.BlockList on every address (S3)', () => {
    for (const options of [{}, { allowCidrs: ['127.0.0.0/8', 'fd00::/8'], denyCidrs: ['8.8.8.0/24'] }]) {
      const own = policyOf(options);
      const list = toBlockList(own);
      for (const ip of [...REFUSED, ...ALLOWED, '8.8.8.8', 'fd00::1'])
        expect(list.check(ip, familyOf(ip)), ip).to.equal(own.judgeAddress(ip) !== 'allowed');
    }
  });

  it('allows exactly the ranges of allowCidrs', () => {
    const opened = policyOf({ allowCidrs: ['127.0.0.0/8', '10.1.2.3', 'fd00:1::/32'] });
    for (const ip of words('127.0.0.1 127.255.255.255 ::ffff:127.0.0.1 10.1.2.3 fd00:1::1'))
      expect(opened.judgeAddress(ip), ip).to.equal('allowed');
    for (const ip of words('10.1.2.2 10.1.2.4 0.0.0.0 fd00:2::1 ::1 128.0.0.0/8'))
      if (!ip.includes('/')) expect(opened.judgeAddress(ip), ip).to.have.property('refused');
    expect(opened.allowsLoopback).to.equal(true);
    expect(policy.allowsLoopback).to.equal(false);
  });

  it('blocks the ranges of denyCidrs, including public ones and parts of allowCidrs (S12)', () => {
    const closed = policyOf({
      allowCidrs: ['10.0.0.0/8', '0.0.0.0/0'],
      denyCidrs: ['34.118.224.0/20', '10.96.0.0/12', '2600:1900::/28'],
    });
    for (const ip of words('34.118.224.1 34.118.239.255 10.96.0.1 ::ffff:34.118.224.1 2600:1900::1'))
      expect(closed.judgeAddress(ip), ip).to.deep.equal({ refused: 'denied-by-operator' });
    for (const ip of words('34.118.223.255 34.118.240.0 10.0.0.1 127.0.0.1'))
      expect(closed.judgeAddress(ip), ip).to.equal('allowed');
    expect(toBlockList(closed)).to.be.instanceOf(BlockList);
  });

  it('opens ranges of the cluster on request, but never the address of the API server (N11)', () => {
    const options = { clusterCidrs: ['34.118.224.0/20'], apiServerAddresses: ['34.118.224.1', '10.0.0.2'] };
    const policy = policyOf(options);
    const opened = policyOf({ ...options, allowCidrs: ['34.118.0.0/16', '10.0.0.0/8'] });
    const list = toBlockList(opened);
    for (const [ip, before, after] of [
      ['34.118.224.1', 'api-server', { refused: 'api-server' }],
      ['10.0.0.2', 'api-server', { refused: 'api-server' }],
      ['34.118.224.2', 'cluster', 'allowed'],
      ['10.0.0.3', 'private', 'allowed'],
    ] as const) {
      expect(policy.judgeAddress(ip), ip).to.deep.equal({ refused: before });
      expect(opened.judgeAddress(ip), ip).to.deep.equal(after);
      expect(list.check(ip, 'ipv4'), ip).to.equal(after !== 'allowed');
    }
  });

  it('leaves loopback to allowCidrs, also if the API server is there (N11)', () => {
    const apiServerAddresses = ['127.0.0.1', '::1'];
    expect(policyOf({ apiServerAddresses }).judgeAddress('127.0.0.1')).to.deep.equal({ refused: 'loopback' });
    const opened = policyOf({ apiServerAddresses, allowCidrs: ['127.0.0.0/8', '::1'] });
    for (const ip of apiServerAddresses) expect(opened.judgeAddress(ip), ip).to.equal('allowed');
  });

  it('refuses every address if all ranges are denied', () => {
    const closed = policyOf({ denyCidrs: ['0.0.0.0/0', '::/0'] });
    const list = toBlockList(closed);
    for (const ip of ALLOWED) {
      expect(closed.judgeAddress(ip), ip).to.have.property('refused');
      expect(list.check(ip, familyOf(ip)), ip).to.equal(true);
    }
  });

  it('refuses the addresses of this machine unless they are allowed', () => {
    const own = policyOf({ ownAddresses: ['34.1.2.3', '2a00::5', 'fe80::1%eth0'] });
    expect(own.judgeAddress('34.1.2.3')).to.deep.equal({ refused: 'own-address' });
    expect(own.judgeAddress('2a00::5')).to.deep.equal({ refused: 'own-address' });
    expect(own.judgeAddress('34.1.2.4')).to.equal('allowed');
    const opened = policyOf({ ownAddresses: ['34.1.2.3'], allowCidrs: ['34.1.2.3/32'] });
    expect(opened.judgeAddress('34.1.2.3')).to.equal('allowed');
    expect(createEgressPolicy({ allowCidrs: [], denyCidrs: [] }).judgeAddress('127.0.0.1')).to.have.property(
      'refused',
    );
  });

  it('checks the IPv4 address inside a NAT64 address if the prefix is set', () => {
    const nat64 = policyOf({ nat64Prefix: '64:ff9b::/96', denyCidrs: ['9.9.9.0/24'] });
    const list = toBlockList(nat64);
    for (const [ip, want] of [
      ['64:ff9b::808:808', true],
      ['64:ff9b::7f00:1', false],
      ['64:ff9b::a9fe:a9fe', false],
      ['64:ff9b::909:909', false],
      ['64:ff9b:0:0:1::808:808', false],
    ] as const) {
      expect(nat64.judgeAddress(ip) === 'allowed', ip).to.equal(want);
      expect(list.check(ip, 'ipv6'), ip).to.equal(!want);
    }
  });

  it('names the invalid part of a setting', () => {
    for (const bad of words('10/8 10.0.0.0/33 10.0.0.0/ 10.0.0.0/8/8 ::/129 example.com 127.1/8 1.2.3.4/-1'))
      expect(() => policyOf({ allowCidrs: [bad] }), bad)
        .to.throw(ConfigError)
        .with.property('message')
        .that.includes(bad);
    expect(() => policyOf({ nat64Prefix: '64:ff9b::/64' })).to.throw(ConfigError);
  });

  it('ignores the host bits of a range', () => {
    expect(policyOf({ denyCidrs: ['8.8.8.8/24'] }).judgeAddress('8.8.8.1')).to.have.property('refused');
    expect(policyOf({ denyCidrs: ['::ffff:8.8.8.0/120'] }).judgeAddress('8.8.8.1')).to.have.property(
      'refused',
    );
  });
});
