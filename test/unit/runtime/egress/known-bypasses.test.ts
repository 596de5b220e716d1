/** Known bypasses of other SSRF filters, published or measured. None of these filters is used here. */
import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';

const policy = createEgressPolicy({ allowCidrs: [], denyCidrs: [], ownAddresses: [] });

const BYPASSES: Readonly<Record<string, readonly string[]>> = {
  'ip (S20)': [
    '127.1',
    '017700000001',
    '0',
    '0.0.0.0',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[ff02::1]',
  ],
  'private-ip (S21)': ['[::ffff:7f00:1]', '[::ffff:a9fe:a9fe]', '[64:ff9b::1]', '224.0.0.1', '[fec0::1]'],
  'ssrfcheck (S22)': ['224.0.0.1', '239.255.255.255', '[::ffff:127.0.0.1]', '[ff05::2]'],
  'request-filtering-agent (S23)': ['[::7f00:1]', '168.63.129.16'],
  'ssrf-req-filter (S24)': ['[::7f00:1]', '168.63.129.16'],
  'the ranges of ipaddr.js (S25)': ['[::7f00:1]', '[100:0:0:1::1]', '[4000::1]', '168.63.129.16'],
  'smokescreen (S26)': ['198.18.0.1', '192.0.0.1', '240.0.0.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'],
};

describe('judgeUrl: bypasses of other filters', () => {
  for (const [filter, hosts] of Object.entries(BYPASSES))
    it(`refuses the bypasses of ${filter}`, () => {
      for (const host of hosts)
        expect(judgeUrl(`http://${host}/`, policy), host).to.include({ ok: false, kind: 'refused' });
    });
});
