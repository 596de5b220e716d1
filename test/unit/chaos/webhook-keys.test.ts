import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { createWebhookKeys } from '#test/chaos/webhook-keys.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** A delivery signed with these secrets. */
function signedBy(...secrets: readonly string[]): ProxiedRequest {
  const now = new Date();
  const body = '{"type":"COMPLETED"}';
  const signatures = secrets.map((secret) => new Webhook(secret).sign('msg_1', now, body));
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  };
  return { method: 'POST', path: '/', headers, body: Buffer.from(body), actor: undefined };
}

describe('createWebhookKeys', () => {
  const first = newSecret();
  /** Keys whose rotations are recorded in `written`. */
  function start() {
    const written: { current: string; previous: string }[] = [];
    const admin = {
      patch: (_path: string, change: { stringData: { current: string; previous: string } }) =>
        Promise.resolve(written.push(change.stringData)),
    };
    const keys = createWebhookKeys({ namespace: 'n', webhookSecret: first }, (change) =>
      change(admin as unknown as Parameters<typeof change>[0]),
    );
    return { keys, written };
  }

  it('accepts only signatures of its secret', () => {
    const { keys } = start();
    expect([keys.judge(signedBy(first)), keys.note(signedBy(first))]).to.deep.equal([undefined, {}]);
    const forged = signedBy(newSecret());
    expect(keys.judge(forged)).to.deep.include({ status: 401 });
    expect(keys.note(forged)).to.have.property('unverified');
  });

  it('expects both signatures during a rotation, and only the new one afterwards', async () => {
    const { keys, written } = start();
    await keys.rotate();
    await keys.rotate();
    expect(written).to.have.length(1);
    expect(written[0]).to.include({ previous: first });
    const second = written[0]?.current ?? '';
    expect(keys.judge(signedBy(second, first))).to.equal(undefined);
    expect(keys.note(signedBy(second, first))).to.deep.equal({});
    // The sender has not seen the rotation yet: the delivery is refused, but the old secret is still valid.
    expect(keys.judge(signedBy(first))).to.deep.include({ status: 401 });
    expect(keys.note(signedBy(first))).to.deep.equal({});
    expect(keys.note(signedBy(second))).to.have.property('unverified');
    keys.endRotation();
    expect(keys.note(signedBy(second))).to.deep.equal({});
  });
});
