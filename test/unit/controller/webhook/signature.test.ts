import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { parseSigningSecret, signatureHeader } from '#controller/webhook/signature.ts';
import { webhookSecretOf } from '#controller/webhook/webhook-secret.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import { ago, NAMESPACE, NOW } from '#test/support/builders/objects.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

function keyOf(secret: string): Buffer {
  return parseSigningSecret(secret) ?? Buffer.alloc(0);
}

describe('signatureHeader', () => {
  it('matches the published test vector (W4)', () => {
    const signed = {
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1614265330,
      body: '{"test": 2432232314}',
    };
    expect(signatureHeader(signed, [keyOf(SECRET)])).to.equal(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it('passes the published verifier with either key during a rotation (W2, W11)', () => {
    const timestamp = Math.floor(Date.now() / 1000);
    const signed = { id: 'msg_1', timestamp, body: '{"s":"\\u2028 é"}' };
    const header = signatureHeader(signed, [keyOf(SECRET), keyOf(OTHER)]);
    expect(header.split(' ')).to.have.length(2);
    for (const secret of [SECRET, OTHER])
      expect(() =>
        new Webhook(secret).verify(signed.body, {
          'webhook-id': signed.id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': header,
        }),
      ).to.not.throw();
  });
});

describe('parseSigningSecret', () => {
  for (const [bytes, isSecret] of [
    [23, false],
    [24, true],
    [64, true],
    [65, false],
  ] as const)
    it(`${isSecret ? 'accepts' : 'rejects'} ${bytes} bytes (W3)`, () => {
      const key = Buffer.alloc(bytes, 7);
      expect(parseSigningSecret(`whsec_${key.toString('base64')}`)).to.deep.equal(isSecret ? key : undefined);
    });

  for (const text of [
    '',
    'whsec_',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_abcd',
    'whsec_***',
    `whsec_${'A'.repeat(100)}`,
  ])
    it(`rejects ${JSON.stringify(text.slice(0, 16))} (W3)`, () => {
      expect(parseSigningSecret(text)).to.equal(undefined);
    });
});

describe('webhookSecretOf', () => {
  function secret(values: Readonly<Record<string, string>>) {
    return {
      metadata: { name: 'zipjobs-webhook', namespace: NAMESPACE },
      data: Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    };
  }
  it('includes the previous key until it expires (W11)', () => {
    const values = { current: SECRET, previous: OTHER };
    const during = webhookSecretOf(
      secret({ ...values, previousUntil: ago(-60) }),
      DEFAULT_ENDPOINT,
      NOW,
    ).keys;
    expect(during).to.deep.equal([keyOf(SECRET), keyOf(OTHER)]);
    expect(
      webhookSecretOf(secret({ ...values, previousUntil: ago(1) }), DEFAULT_ENDPOINT, NOW).keys,
    ).to.have.length(1);
    expect(webhookSecretOf(secret(values), DEFAULT_ENDPOINT, NOW).keys).to.have.length(1);
  });
  it('has keys and a URL of its own for each endpoint', () => {
    const all = secret({ current: SECRET, 'audit.current': OTHER, 'audit.url': 'https://audit.example/' });
    expect(webhookSecretOf(all, DEFAULT_ENDPOINT, NOW)).to.deep.equal({
      keys: [keyOf(SECRET)],
      url: undefined,
    });
    expect(webhookSecretOf(all, 'audit', NOW)).to.deep.equal({
      keys: [keyOf(OTHER)],
      url: 'https://audit.example/',
    });
    expect(webhookSecretOf(all, 'other', NOW)).to.deep.equal({ keys: [], url: undefined });
  });
  it('returns no key without a Secret', () => {
    expect(webhookSecretOf(undefined, DEFAULT_ENDPOINT, NOW)).to.deep.equal({ keys: [], url: undefined });
  });
  it('includes the URL, without the line break at its end (N15)', () => {
    const { url } = webhookSecretOf(
      secret({ current: SECRET, url: 'https://hooks.example/T0/secret\n' }),
      DEFAULT_ENDPOINT,
      NOW,
    );
    expect(url).to.equal('https://hooks.example/T0/secret');
  });
});
