/**
 * `zipjobs token` and `zipjobs webhook`, with the API that checks the tokens and a receiver of the webhooks.
 */
import { expect } from 'chai';
import { isToken, maskToken } from '#crds/api-token.ts';
import { askApi } from '#test/support/clients/api-client.ts';
import { verifyDelivery } from '#test/support/servers/webhook-receiver.ts';
import { until } from '#test/support/until.ts';
import {
  type CommandLineWorld,
  permissionDenied,
  startOwnProject,
  UNCONFIRMED,
} from '#test/support/worlds/command-line-world.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';

const NO_SUCH_JOB = '/v1/zips/00000000-0000-4000-8000-000000000000';

type Fields = Readonly<Record<string, unknown>>;

describe('the command line', function () {
  this.timeout(300_000);
  let world: CommandLineWorld;
  before(async () => {
    world = await startOwnProject('cli-tokens');
  });
  after(() => world[Symbol.asyncDispose]());

  describe('zipjobs token', () => {
    function ask(token: string) {
      return askApi(world.flow.baseUrl, { path: NO_SUCH_JOB, token });
    }
    let first: string;

    it('shows a new token once, which grants its permissions', async () => {
      const { stdout, stderr } = await world.owner.succeed(
        world.inOwn('token', 'create', 'backend', '--quiet'),
      );
      first = stdout.trim();
      expect(isToken(first)).to.equal(true);
      expect(stderr).to.contain('shown only once');
      await untilTokenKnown(world.flow.baseUrl, first);
      expect((await ask(first)).status).to.equal(404);
      const reading = (await world.owner.json(
        world.inOwn('token', 'create', '--permissions', 'read'),
      )) as Fields;
      expect(reading).to.deep.include({
        name: null,
        permissions: ['read'],
        createdBy: 'olivia',
        lastUsedAt: null,
      });
      expect(reading['id']).to.match(/^token-[a-z0-9]{6}$/);
    });

    it('lists tokens masked, with their last use', async () => {
      const list = (await world.owner.json(world.inOwn('token', 'list'))) as readonly Fields[];
      expect(list).to.have.length(2);
      expect(list[0]).to.include({ name: 'backend', masked: maskToken(first) });
      expect(list[0]).not.to.have.any.keys('value', 'sha256');
      await until('its last use to be recorded', async () => {
        const [used] = (await world.owner.json(world.inOwn('token', 'list'))) as readonly Fields[];
        return typeof used?.['lastUsedAt'] === 'string';
      });
      expect((await world.owner.succeed(world.inOwn('token', 'list'))).stdout).to.match(
        /^ID +NAME +TOKEN +PERMISSIONS +CREATED +LAST USED\nbackend-\w{6} +backend +zj_\w\.\.\.\w{4} +create,read +20\S+ +20/,
      );
    });

    it('rotates a token: the old one is valid until it is revoked', async () => {
      const rotated = (await world.owner.json(world.inOwn('token', 'rotate', 'backend'))) as Readonly<
        Record<string, string>
      >;
      const second = rotated['value'] ?? '';
      await untilTokenKnown(world.flow.baseUrl, second);
      expect((await ask(first)).status).to.equal(404);
      await world.refused(world.owner, world.inOwn('token', 'revoke', 'backend', '--yes'), {
        code: 3,
        says: /Several tokens are named "backend"\. Use one of these ids: backend-\w+, backend-\w+/,
      });
      await world.owner.succeed(world.inOwn('token', 'revoke', rotated['replaces'] ?? '', '--yes'));
      await until('the old token to be refused', async () => (await ask(first)).status === 401);
      expect((await ask(second)).status).to.equal(404);
    });

    it('prints what to do after an error', async () => {
      await world.refused(world.owner, world.inOwn('token', 'create', '--permissions', 'write'), {
        code: 2,
        says: 'Invalid permissions. Use one or more of: create, read',
      });
      await world.refused(world.owner, world.inOwn('token', 'revoke', 'nobody', '--yes'), {
        code: 4,
        says: 'Token "nobody" not found in project "cli-tokens". List the tokens with: zipjobs token list -n cli-tokens',
      });
      await world.refused(world.owner, world.inOwn('token', 'revoke', 'backend'), {
        code: 2,
        says: UNCONFIRMED,
      });
      await world.refused(world.owner, world.inOwn('token', 'revoke', first, '--yes'), {
        code: 2,
        says: /looks like a credential/,
      });
      await world.refused(world.viewer, world.inOwn('token', 'list'), {
        code: 3,
        says: permissionDenied('victor', ['list', 'ziptokens.zipjobs.dev'], 'in namespace cli-tokens'),
      });
      await world.refused(world.viewer, world.inOwn('token', 'create'), {
        code: 3,
        says: permissionDenied('victor', ['create', 'ziptokens.zipjobs.dev'], 'in namespace cli-tokens'),
      });
    });
  });

  describe('zipjobs webhook', () => {
    const secrets: string[] = [];
    function newest(): string {
      return secrets.at(-1) ?? '';
    }

    it('sets a webhook and shows its signing secret once', async () => {
      await world.refused(world.owner, world.inOwn('webhook', 'test'), {
        code: 4,
        says: `No webhook found in project "${world.own}". Set one with: zipjobs webhook update URL -n ${world.own}`,
      });
      const url = `${world.flow.receiver.url}?key=CANARY`;
      const set = (await world.owner.json(world.inOwn('webhook', 'set', url))) as Readonly<
        Record<string, string>
      >;
      secrets.push(set['secret'] ?? '');
      expect(newest()).to.match(/^whsec_/);
      expect(set).to.deep.include({ events: ['COMPLETED', 'FAILED'], enabled: true });
      const again = (await world.owner.json(
        world.inOwn('webhook', 'set', url, '--events', 'FAILED'),
      )) as Fields;
      expect(again).to.deep.include({ secret: null, events: ['FAILED'] });
    });

    it('sends a test event with a valid signature', async () => {
      world.flow.receiver.trust(newest());
      const { stdout } = await world.owner.succeed(world.inOwn('webhook', 'test'));
      expect(stdout)
        .to.match(/State: +Enabled\n/)
        .and.to.match(/Last test: +ok, HTTP 204 20/);
      verifyDelivery(await world.flow.receiver.next((one) => one.body.includes(`"${world.own}"`)), newest());
      world.flow.receiver.responses.push(500);
      const failed = await world.owner.run(world.inOwn('webhook', 'test'));
      expect(failed.exitCode).to.equal(1);
      expect(failed.stdout).to.match(/Last test: +failed, HTTP 500/);
      expect(failed.stderr).to.contain('Check the URL');
    });

    it('rotates the secret: both secrets sign until the old one expires', async () => {
      const rotated = (await world.owner.json(world.inOwn('webhook', 'rotate-secret'))) as Readonly<
        Record<string, string>
      >;
      secrets.push(rotated['secret'] ?? '');
      expect(Date.parse(rotated['previousUntil'] ?? '')).to.be.greaterThan(Date.now() + 23 * 3_600_000);
      world.flow.receiver.trust(...secrets);
      await world.owner.succeed(world.inOwn('webhook', 'test'));
      await world.refused(world.owner, world.inOwn('webhook', 'rotate-secret', '--overlap-hours', '0'), {
        code: 2,
        says: UNCONFIRMED,
      });
      const last = (await world.owner.json(
        world.inOwn('webhook', 'rotate-secret', '--overlap-hours', '0', '--yes'),
      )) as Readonly<Record<string, string>>;
      secrets.push(last['secret'] ?? '');
      expect(last['previousUntil']).to.equal(null);
      world.flow.receiver.trust(newest());
      await world.owner.succeed(world.inOwn('webhook', 'test'));
    });

    it('disables, enables and removes a webhook', async () => {
      expect((await world.owner.succeed(world.inOwn('webhook', 'disable'))).stdout).to.match(
        /State: +Disabled\n/,
      );
      expect((await world.owner.succeed(world.inOwn('webhook', 'enable'))).stdout).to.match(
        /State: +Enabled\n/,
      );
      world.flow.receiver.responses.push(410);
      await world.owner.run(world.inOwn('webhook', 'test'));
      await world.refused(world.owner, world.inOwn('webhook', 'remove'), { code: 2, says: UNCONFIRMED });
      await world.owner.succeed(world.inOwn('webhook', 'remove', '--with-secret', '--yes'));
      expect(await world.owner.json(world.inOwn('webhook', 'show'))).to.deep.include({
        isSet: false,
        host: null,
        events: [],
        hasSecret: false,
      });
      await world.refused(world.owner, world.inOwn('webhook', 'rotate-secret'), {
        code: 4,
        says: `No signing secret found in project "${world.own}". Create one by setting the webhook: zipjobs webhook update URL -n ${world.own}`,
      });
    });

    it('prints what to do after an error', async () => {
      await world.refused(world.owner, world.inOwn('webhook', 'set', 'ftp://x'), {
        code: 2,
        says: 'Invalid webhook URL. Use a URL that starts with https:// and has at most 2048 characters',
      });
      await world.refused(world.owner, world.inOwn('webhook', 'set', 'https://a:b@c.test'), {
        code: 2,
        says: 'Invalid webhook URL: remove the user name and password. Receivers authenticate events by their signature',
      });
      await world.refused(
        world.owner,
        world.inOwn('webhook', 'set', 'https://c.test', '--events', 'STARTED'),
        {
          code: 2,
          says: 'Invalid webhook events. Use one or more of: COMPLETED, FAILED',
        },
      );
      const plain = await world.owner.succeed(world.inOwn('webhook', 'set', 'http://127.0.0.1:1/hook'));
      expect(plain.stderr).to.match(/Plain HTTP is blocked unless .*https:\/\//);
      const unacknowledged = await world.owner.run(world.inOwn('webhook', 'test'));
      expect(unacknowledged.exitCode).to.equal(1);
      expect(unacknowledged.stderr).to.match(/No response from the receiver\. Check the host name/);
      await world.refused(world.viewer, world.inOwn('webhook', 'set', 'https://c.test'), {
        code: 3,
        says: permissionDenied('victor', ['create', 'secrets'], 'in namespace cli-tokens'),
      });
      expect((await world.viewer.succeed(world.inOwn('webhook', 'show'))).stdout).to.match(
        /Signing secret: +no access/,
      );
    });

    it('has shown each secret once', () => {
      for (const secret of secrets) expect(world.owner.printed.split(secret)).to.have.length(2);
    });
  });

  describe('the output of zipjobs', () => {
    it('contains no credential, no query of a URL and no control character (H9)', () => {
      world.expectNoSecretPrinted();
    });
  });
});
