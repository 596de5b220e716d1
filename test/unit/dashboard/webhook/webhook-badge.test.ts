import { expect } from 'chai';
import { toWebhook } from '#administration/webhooks/webhook-view.ts';
import { endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { webhookBadge } from '#dashboard/webhook/webhook-badge.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const url = 'https://hooks.example.com/';

function textOf(webhook: ZipProject['spec']['webhook'], status: ZipProject['status'] = {}): string {
  return webhookBadge(toWebhook({ ...aProject('team-a', webhook && { webhook }), status })).text;
}

describe('webhookBadge', () => {
  function disabled(of: string) {
    return {
      webhook: { endpoint: endpointDigest(of), state: 'Disabled' } as const,
    };
  }

  it('says whether events are sent, and who stopped them', () => {
    expect(textOf(undefined)).to.equal('None');
    expect(textOf({ url })).to.equal('Enabled');
    expect(textOf({ url, enabled: false })).to.equal('Disabled');
    expect(textOf({ url }, disabled(url))).to.equal('Disabled after failures');
  });

  it('does not count failures of a previous endpoint', () => {
    expect(textOf({ url }, disabled('https://old.example.com/'))).to.equal('Enabled');
  });
});
