import { expect } from 'chai';
import { createIsDirect } from '#runtime/egress/proxy/no-proxy.ts';

function isDirect(entries: readonly string[], host: string, port = 443): boolean {
  return createIsDirect(entries, 'STORE_NO_PROXY')(host, port);
}

describe('the exceptions of a proxy', () => {
  for (const [entry, direct, proxied] of [
    [
      '10.0.0.0/8',
      ['10.0.0.1', '10.255.0.1', '[::ffff:10.1.2.3]'],
      ['11.0.0.1', '10.example.com', 'ten.example.com'],
    ],
    ['fd00::/8', ['fd12::1', '[fd12::1]'], ['fe00::1', '10.0.0.1']],
    ['192.0.2.7', ['192.0.2.7'], ['192.0.2.8']],
    ['2001:db8::1', ['[2001:db8::1]', '2001:DB8::1'], ['2001:db8::2']],
    ['[2001:db8::1]', ['2001:db8::1'], ['2001:db8::2']],
    [
      'example.com',
      ['example.com', 'EXAMPLE.com.', 'a.b.example.com'],
      ['badexample.com', 'example.com.evil.test'],
    ],
    ['.example.com', ['a.example.com'], ['example.com', 'badexample.com']],
    ['*.example.com', ['a.example.com'], ['example.com']],
    ['*', ['example.com', '192.0.2.1', '2001:db8::1'], []],
  ] as const)
    it(`match ${entry} (X23)`, () => {
      for (const host of direct) expect(isDirect([entry], host), host).to.equal(true);
      for (const host of proxied) expect(isDirect([entry], host), host).to.equal(false);
    });

  it('may have a port (X23)', () => {
    for (const [entry, host] of [
      ['example.com:8443', 'a.example.com'],
      ['192.0.2.7:8443', '192.0.2.7'],
      ['[2001:db8::1]:8443', '2001:db8::1'],
    ] as const) {
      expect(isDirect([entry], host, 8443), entry).to.equal(true);
      expect(isDirect([entry], host, 443), entry).to.equal(false);
    }
  });

  it('always contain this machine, services of the cluster and link-local addresses (X23)', () => {
    for (const host of [
      '127.0.0.1',
      '127.9.9.9',
      '[::1]',
      'localhost',
      'minio.storage.svc',
      'minio.storage.svc.cluster.local',
      '169.254.170.23',
      '169.254.169.254',
      '[fd00:ec2::23]',
      '[fe80::1]',
    ])
      expect(isDirect([], host), host).to.equal(true);
    for (const host of ['example.com', 'svc.example.com', '10.0.0.1', '93.184.216.34'])
      expect(isDirect([], host), host).to.equal(false);
  });

  for (const entry of [
    '',
    '10.0.0.0/33',
    '10.0.0.1/8/8',
    'https://a.example',
    'a b',
    'example.com:0',
    'a:99999',
    '1.2.3.4.:',
  ])
    it(`refuse ${JSON.stringify(entry)} with the name of the setting (X23)`, () => {
      expect(() => isDirect([entry], 'example.com')).to.throw(
        `STORE_NO_PROXY: ${JSON.stringify(entry)} is neither`,
      );
    });
});
