import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { Headers as UndiciHeaders } from 'undici';
import { verifyWebhook, WebhookVerificationError } from '#clients/typescript/src/webhook.ts';

const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
const BODY = JSON.stringify({
  type: 'COMPLETED',
  zip_id: '3f0c7a52',
  metadata: { name: 'é "\\u0000' },
  later: 1,
});

function signed(body: string, at = new Date()) {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(ID, at, body),
  };
}

describe('verifyWebhook of the TypeScript client', () => {
  it('returns the event and its id for text, bytes, and headers of every kind', () => {
    const headers = signed(BODY);
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    for (const body of [BODY, new TextEncoder().encode(BODY), Buffer.from(BODY)])
      for (const received of [
        headers,
        upper,
        new Headers(headers),
        { ...headers, cookie: undefined, via: ['a'] },
        Object.assign(Object.create(null), headers) as typeof headers,
      ])
        expect(verifyWebhook({ body, headers: received, secret: SECRET })).to.deep.equal({
          id: ID,
          event: JSON.parse(BODY) as unknown,
        });
  });

  it('accepts headers of every class that lists names and values (UI22)', () => {
    const headers = signed(BODY);
    const foreign: unknown = runInNewContext('new Map(entries)', { entries: Object.entries(headers) });
    for (const received of [
      new UndiciHeaders(headers),
      new Map(Object.entries(headers)),
      foreign as ReadonlyMap<string, string>,
      Object.entries(headers),
    ])
      expect(verifyWebhook({ body: BODY, headers: received, secret: SECRET }).id).to.equal(ID);
  });

  it('accepts one valid signature of several, as after a rotation of the secret', () => {
    const headers = signed(BODY);
    const rotated = `v1,${'A'.repeat(43)}= v1a,other ${headers['webhook-signature']}`;
    const received = { ...headers, 'webhook-signature': rotated };
    expect(verifyWebhook({ body: BODY, headers: received, secret: SECRET }).id).to.equal(ID);
  });

  it('refuses forged, changed, late and incomplete requests', () => {
    const headers = signed(BODY);
    const late = signed(BODY, new Date(Date.now() - 301_000));
    const other = `whsec_${Buffer.alloc(24, 8).toString('base64')}`;
    const forgeries = [
      { body: `${BODY} `, headers, secret: SECRET },
      { body: `\uFEFF${BODY}`, headers, secret: SECRET },
      { body: Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(BODY)]), headers, secret: SECRET },
      { body: Buffer.from([0xff]), headers: signed('\uFFFD'), secret: SECRET },
      { body: BODY, headers, secret: other },
      { body: BODY, headers: { ...headers, 'webhook-id': 'msg_other' }, secret: SECRET },
      { body: BODY, headers: late, secret: SECRET },
      { body: BODY, headers: {}, secret: SECRET },
      { body: 'no JSON', headers: signed('no JSON'), secret: SECRET },
    ];
    for (const forgery of forgeries)
      expect(() => verifyWebhook(forgery), JSON.stringify(forgery))
        .to.throw(WebhookVerificationError)
        .with.property('cause')
        .that.is.an('error');
  });

  it('reports a secret that is not configured as a fault of the receiver', () => {
    for (const secret of ['', 'whsec_', 'whsec_?'])
      expect(() => verifyWebhook({ body: BODY, headers: signed(BODY), secret }))
        .to.throw(Error)
        .and.to.not.be.instanceOf(WebhookVerificationError);
  });
});
