import { expect } from 'chai';
import { addWebhookCommands } from '#cli/webhook-commands.ts';
import { PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { endpointDigest, type ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import { createObjectsByPath } from '#test/support/builders/objects-by-path.ts';
import { aProject } from '#test/support/servers/api-server.ts';
import { COLLECTIONS, TEAM } from '#test/support/worlds/dashboard-project.ts';
import { type Printed, runProgram } from './fake-session.ts';

const CANARY = 'cAnArY-of-a-path';
const URL_SET = `https://hooks.example.com/services/${CANARY}`;

function start(spec: ZipProject['spec'] = {}, status: ZipProject['status'] = {}) {
  const objects = createObjectsByPath();
  const project: ZipProject = { ...aProject(TEAM, spec), status };
  objects.put(COLLECTIONS.projects, project);
  return {
    objects,
    projectText: () => JSON.stringify(objects.get(`${COLLECTIONS.projects}/${PROJECT_NAME}`)),
    secretUrl: (): string => {
      const data = objects.get(`${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`)?.['data'] as { url: string };
      return Buffer.from(data.url, 'base64').toString('utf8');
    },
    run: (args: readonly string[], input = ''): Promise<Printed> =>
      runProgram(
        {
          groups: [addWebhookCommands],
          terminal: { readInput: () => Promise.resolve(input) },
          kube: {
            server: 'https://example.test',
            request: (request) => Promise.resolve().then(() => objects.respond(request)),
            stream: () => Promise.reject(new Error('not faked')),
            [Symbol.asyncDispose]: () => Promise.resolve(),
          },
        },
        ['webhook', ...args, '-n', TEAM],
      ),
  };
}

describe('zipjobs webhook', () => {
  it('writes the URL into the Secret and prints its host only (N15)', async () => {
    const { run, projectText, secretUrl } = start();
    const { code, output, errors } = await run(['set', URL_SET]);
    expect(code, errors).to.equal(0);
    expect(secretUrl()).to.equal(URL_SET);
    expect(output).to.match(/Host: +hooks\.example\.com\n/);
    for (const text of [output, errors, projectText()]) expect(text).to.not.contain(CANARY);
  });

  it('shows the host of the new URL before the first delivery, in one table (Q-C18)', async () => {
    const { run } = start({}, { webhook: { endpoint: 'old', host: 'old.example.com' } as never });
    await run(['set', URL_SET]);
    const { output } = await run(['show']);
    expect(output)
      .to.match(/^Host: +hooks\.example\.com$/m)
      .and.to.match(/^Signing secret: +set$/m)
      .and.not.contain(CANARY);
    const columns = output
      .trimEnd()
      .split('\n')
      .map((line) => /^[^:]+: */.exec(line)?.[0].length);
    expect(new Set(columns).size).to.equal(1);
    expect((await run(['disable'])).output).to.match(/^Host: +hooks\.example\.com$/m);
  });

  it('has changed the webhook even if the host cannot be read afterwards (Q-C18)', async () => {
    const { objects, run } = start();
    await run(['set', URL_SET]);
    const failure = new KubeError('no response', { attempt: 'GET /x', code: 'Unreachable' });
    objects.fail(failure, ({ path }) => path.startsWith(COLLECTIONS.secrets));
    const { code, output, errors } = await run(['disable']);
    expect(code, errors).to.equal(0);
    expect(output).to.match(/^State: +Disabled$/m);
  });

  it('reads the URL from standard input, because other users can read arguments (N15)', async () => {
    const { run, secretUrl } = start();
    const { code, errors } = await run(['set', '--url-file', '-'], `${URL_SET}\n`);
    expect(code, errors).to.equal(0);
    expect(secretUrl()).to.equal(URL_SET);
    const both = await run(['set', URL_SET, '--url-file', '-']);
    expect([both.code, both.errors]).to.deep.equal([
      2,
      'zipjobs: Pass the URL as an argument or with --url-file, not both\n',
    ]);
    const absent = await run(['set', '--url-file', '/nowhere']);
    expect(absent.errors).to.contain('Cannot read the file /nowhere (ENOENT)');
  });

  it('keeps the URL without a new one, and requires one when there is none (N15)', async () => {
    const { run, secretUrl, projectText } = start();
    const none = await run(['set']);
    expect([none.code, none.errors]).to.deep.equal([
      2,
      'zipjobs: Missing webhook URL: set the URL of the receiver\n',
    ]);
    await run(['set', URL_SET]);
    const { code, errors } = await run(['set', '--events', 'FAILED']);
    expect(code, errors).to.equal(0);
    expect(secretUrl()).to.equal(URL_SET);
    expect(projectText()).to.contain('"events":["FAILED"]');
  });

  it('names the state of the webhook as the dashboard does', async () => {
    async function stateOf(...args: Parameters<typeof start>) {
      return /State: +(.*)\n/.exec((await start(...args).run(['show'])).output)?.[1];
    }
    const webhook = { url: URL_SET };
    const endpoint = { endpoint: endpointDigest(URL_SET), state: 'Disabled', reason: 'Gone' } as const;
    expect(await stateOf({ webhook })).to.equal('Enabled');
    expect(await stateOf({ webhook: { ...webhook, enabled: false } })).to.equal('Disabled');
    expect(await stateOf({ webhook }, { webhook: endpoint })).to.equal('Disabled after failures (Gone)');
  });

  it('prints the host only of a URL in the ZipProject, as text and as JSON (N15)', async () => {
    const { run } = start({ webhook: { url: URL_SET } });
    for (const args of [['show'], ['show', '-o', 'json'], ['disable', '-o', 'json']]) {
      const { code, output, errors } = await run(args);
      expect(code, errors).to.equal(0);
      expect(output).to.contain('hooks.example.com').and.contain('ZipProject').and.not.contain(CANARY);
    }
  });
});

function without<T extends object>(from: T, key: keyof T): object {
  return Object.fromEntries(Object.entries(from).filter(([name]) => name !== key));
}

describe('zipjobs webhook --endpoint', () => {
  const AUDIT = `https://audit.example.com/${CANARY}`;
  const HOST = /Host: +audit\.example\.com/;
  function secretsOf({ objects }: ReturnType<typeof start>): Readonly<Record<string, string>> {
    const data = objects.get(`${COLLECTIONS.secrets}/${WEBHOOK_SECRET_NAME}`)?.['data'];
    return (data ?? {}) as Readonly<Record<string, string>>;
  }
  function specOf({ objects }: ReturnType<typeof start>): ZipProject['spec'] {
    return objects.get(`${COLLECTIONS.projects}/${PROJECT_NAME}`)?.['spec'] as ZipProject['spec'];
  }
  async function withAudit() {
    const project = start();
    await project.run(['update', URL_SET]);
    const before = { secrets: secretsOf(project), webhook: specOf(project).webhook };
    const added = await project.run(['update', AUDIT, '--endpoint', 'audit', '--events', 'FAILED']);
    return { project, before, added };
  }

  it('adds an endpoint with a URL and a signing secret of its own, and leaves the others', async () => {
    const { project, before, added } = await withAudit();
    expect(added.code, added.errors).to.equal(0);
    expect(added.output)
      .to.match(HOST)
      .and.to.match(/Endpoint: +audit/)
      .and.not.contain(CANARY);
    expect(added.errors).to.contain(`zipjobs webhook test --endpoint audit -n ${TEAM}`);
    const shownSecret = /whsec_[\w+/=]+/.exec(added.output)?.[0] ?? '';
    expect(secretsOf(project)).to.deep.equal({
      ...before.secrets,
      'audit.current': btoa(shownSecret),
      'audit.url': btoa(AUDIT),
    });
    expect(specOf(project).webhook).to.deep.equal({
      ...before.webhook,
      endpoints: [{ name: 'audit', events: ['FAILED'] }],
    });
    const again = await project.run(['update', '--endpoint', 'audit', '--events', 'COMPLETED,FAILED']);
    expect(again.errors).to.contain('The signing secret is unchanged');
    expect(specOf(project).webhook?.endpoints).to.deep.equal([
      { name: 'audit', events: ['COMPLETED', 'FAILED'] },
    ]);
  });

  it('lists and shows each of them', async () => {
    const { project } = await withAudit();
    const { output } = await project.run(['list']);
    expect(output.split('\n').map((line) => line.split(/ {2,}/).slice(0, 4))).to.deep.equal([
      ['NAME', 'STATE', 'HOST', 'EVENTS'],
      ['default', 'Enabled', 'hooks.example.com', 'COMPLETED,FAILED'],
      ['audit', 'Enabled', 'audit.example.com', 'FAILED'],
      [''],
    ]);
    expect((await project.run(['show', '--endpoint', 'audit'])).output).to.match(HOST);
    expect((await project.run(['show'])).output).to.match(/Host: +hooks\.example\.com/);
    expect((await start().run(['list'])).errors).to.contain('No webhook is set');
  });

  it('rotates the secret of one of them (W11)', async () => {
    const { project } = await withAudit();
    const before = secretsOf(project);
    const { output } = await project.run(['rotate-secret', '--endpoint', 'audit']);
    const { 'audit.current': current = '', 'audit.previousUntil': _until, ...after } = secretsOf(project);
    expect(output).to.contain(atob(current));
    expect(after).to.deep.equal({
      ...without(before, 'audit.current'),
      'audit.previous': before['audit.current'],
    });
  });

  it('disables one of them, and enables it with a command of its own', async () => {
    const { project } = await withAudit();
    const { output, errors } = await project.run(['disable', '--endpoint', 'audit']);
    expect(output).to.match(/State: +Disabled/);
    expect(errors).to.contain(`zipjobs webhook enable --endpoint audit -n ${TEAM}`);
    expect(specOf(project).webhook).to.not.have.property('enabled');
    expect(specOf(project).webhook?.endpoints).to.deep.equal([
      { name: 'audit', events: ['FAILED'], enabled: false },
    ]);
    await project.run(['enable', '--endpoint', 'audit', '--timeout', '1']);
    expect(specOf(project).webhook?.endpoints?.[0]).to.include({ enabled: true });
    expect(project.projectText()).to.contain('zipjobs.dev/enable-webhook.audit');
  });

  it('deletes one of them with all that its name stands for, and the default one last', async () => {
    const { project, before } = await withAudit();
    const refused = await project.run(['delete', '--yes']);
    expect(refused.code).to.not.equal(0);
    expect(refused.errors).to.contain('audit').and.to.contain('zipjobs webhook disable');
    const { code, errors } = await project.run(['delete', '--endpoint', 'audit', '--yes']);
    expect(code, errors).to.equal(0);
    expect(specOf(project).webhook).to.deep.equal(before.webhook);
    expect(secretsOf(project)).to.deep.equal(before.secrets);
    expect(project.projectText()).to.not.contain('.audit');
    expect((await project.run(['delete', '--yes'])).code).to.equal(0);
    expect(specOf(project).webhook).to.equal(undefined);
  });

  const refusals: readonly {
    what: string;
    given: ZipProject['spec'];
    args: readonly string[];
    says: RegExp;
  }[] = [
    {
      what: 'an endpoint that the project does not have',
      given: { webhook: {} },
      args: ['show'],
      says: /update URL --endpoint audit/,
    },
    {
      what: 'another endpoint before the default one',
      given: {},
      args: ['update', AUDIT],
      says: /Set it first: zipjobs webhook update URL/,
    },
    {
      what: 'a sixth endpoint',
      given: { webhook: { endpoints: ['a', 'b', 'c', 'd'].map((name) => ({ name })) } },
      args: ['update', AUDIT],
      says: /has 5 webhook endpoints already.*delete --endpoint NAME/s,
    },
  ];
  for (const { what, given, args, says } of refusals)
    it(`refuses ${what}, and says what to do`, async () => {
      const project = start(given);
      const { code, errors } = await project.run([...args, '--endpoint', 'audit']);
      expect(code).to.not.equal(0);
      expect(errors).to.match(says);
      expect([specOf(project), secretsOf(project)]).to.deep.equal([given, {}]);
    });

  it('refuses a name that is no DNS label of at most 32 characters', async () => {
    for (const name of ['Audit', 'a.b', '-a', 'a'.repeat(33)]) {
      const project = start({ webhook: {} });
      const { errors } = await project.run(['update', AUDIT, `--endpoint=${name}`]);
      expect(errors, name).to.contain('Invalid name of an endpoint');
      expect(secretsOf(project)).to.deep.equal({});
    }
  });
});
