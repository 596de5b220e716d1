import { expect } from 'chai';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { judgeUrl } from '#runtime/egress/judge-url.ts';

const policy = createEgressPolicy({ allowCidrs: [], denyCidrs: [], ownAddresses: [] });
const open = createEgressPolicy({
  allowCidrs: ['127.0.0.0/8'],
  denyCidrs: [],
  ownAddresses: [],
  allowNames: ['minio', 'minio.minio.svc'],
});

function lines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trimStart())
    .filter((line) => line !== '');
}

/** Alternative spellings of 127.0.0.1, ::1 and localhost. */
const LOOPBACK = lines(`
  http://127.1/
  http://127.0.1/
  http://2130706433/
  http://017700000001/
  http://0177.0.0.1/
  http://0x7f.1/
  http://0x7f000001/
  http://0/
  http://0x/
  http://127.0.0.1./
  http://%31%32%37.0.0.1/
  http://１２７.０.０.１/
  http://①②⑦.⓪.⓪.①/
  http://127。0。0。1/
  http:127.0.0.1/
  http:///127.0.0.1/
  http:\\\\127.0.0.1/
  http://example.com@127.0.0.1/
  http://127.0.0.1#@example.com/
  http://127.0.0.1\\@example.com/
  http://[::1]/
  http://[0:0:0:0:0:0:0:1]/
  http://[::ffff:127.0.0.1]/
  http://[::]/
  http://LOCALHOST/
  http://localhost./
  http://a.localhost/
`);

const SYNTAX = [
  ...lines(`
  http://[fe80::1%25eth0]/
  http://127.0.0.1:80:80/
  http://256.1.1.1/
  http://
  http://%00.com/
  http://example.com:65536/
  http://exa%20mple.com/
  http://a..b/
  http://.example.com/
  no url
`),
  '',
  ' http://example.com/',
  'http://example.com/ ',
  'http://exa\tmple.com/',
  'http://exa\nmple.com/',
  'http://example.com/a b',
  'http://example.com/\u0000',
  'http://example.com/\u0085',
  'http://example.com/\ud800',
  ' http://127.0.0.1/',
  `http://${'a'.repeat(64)}.com/`,
  `http://${'a.'.repeat(127)}com/`,
];

describe('judgeUrl', () => {
  for (const text of LOOPBACK) {
    it(`refuses ${text} (S1)`, () => {
      expect(judgeUrl(text, policy)).to.include({ ok: false, kind: 'refused' });
    });
  }

  for (const text of SYNTAX) {
    it(`reports ${JSON.stringify(text.slice(0, 40))} as malformed`, () => {
      expect(judgeUrl(text, policy)).to.include({ ok: false, kind: 'syntax' });
    });
  }

  it('refuses every scheme except http and https (S7)', () => {
    for (const text of lines(`
      file:///etc/passwd
      ftp://x.example/
      gopher://x.example/
      data:,a
      blob:http://x/
      javascript:1
      ws://example.com/`))
      expect(judgeUrl(text, policy), text).to.deep.equal({ ok: false, kind: 'refused', reason: 'scheme' });
  });

  it('refuses credentials, port 0 and ports of other services (S11)', () => {
    expect(judgeUrl('http://user:pw@example.com/', policy)).to.have.property('reason', 'credentials');
    expect(judgeUrl('http://user@example.com/', policy)).to.have.property('reason', 'credentials');
    for (const port of [0, 22, 25, 110, 6000, 6667, 10080])
      expect(judgeUrl(`http://example.com:${port}/`, policy), String(port)).to.have.property(
        'reason',
        'port',
      );
    expect(judgeUrl('http://example.com:8080/', policy)).to.have.property('ok', true);
  });

  it('refuses names of the machine, the cluster and the cloud metadata service (S8)', () => {
    for (const host of lines(`
      kubernetes
      kubernetes.default.svc
      kubernetes.default.svc.cluster.local
      intranet
      intranet.
      printer.local
      PRINTER.LOCAL.
      db.corp.internal
      metadata.google.internal
      metadata.amazonaws.com
      metadata.goog
      metadata.amazonaws.com.`))
      expect(judgeUrl(`https://${host}/`, policy), host).to.deep.equal({
        ok: false,
        kind: 'refused',
        reason: 'name',
      });
    for (const host of [
      'local.example.com',
      'svc.example.com',
      'example.internals',
      'xn--mnchen-3ya.de',
      'münchen.de',
    ])
      expect(judgeUrl(`https://${host}/`, policy), host).to.have.property('ok', true);
  });

  it('refuses an IPv4-mapped literal even if its IPv4 address is allowed', () => {
    for (const host of ['[::ffff:8.8.8.8]', '[::ffff:808:808]', '[::ffff:127.0.0.1]'])
      expect(judgeUrl(`http://${host}/`, open), host).to.have.property('reason', 'mapped-literal');
  });

  it('accepts public URLs and returns the parsed URL', () => {
    const judged = judgeUrl('https://example.com:8443/a%20b?sig=1#x', policy);
    expect(judged.ok && judged.url.href).to.equal('https://example.com:8443/a%20b?sig=1#x');
    expect(judgeUrl('http://8.8.8.8/', policy)).to.have.property('ok', true);
    expect(judgeUrl('http://[2606:4700:4700::1111]/', policy)).to.have.property('ok', true);
  });

  it('allows localhost if loopback is allowed, and names that the operator lists', () => {
    for (const host of [
      '127.0.0.1:9000',
      'localhost:9000',
      'a.localhost',
      'minio:9000',
      'minio.minio.svc',
      'MINIO',
    ])
      expect(judgeUrl(`http://${host}/`, open), host).to.have.property('ok', true);
    expect(judgeUrl('http://other/', open)).to.have.property('reason', 'name');
  });

  it('judges the same host by each policy and each other part of the URL', () => {
    const outcomes = [open, policy, open].map((by) => judgeUrl('http://127.0.0.1/', by).ok);
    expect(outcomes).to.deep.equal([true, false, true]);
    expect(judgeUrl('http://127.0.0.1:25/', open)).to.have.property('reason', 'port');
    expect(judgeUrl('ftp://127.0.0.1/', open)).to.have.property('reason', 'scheme');
  });
});
