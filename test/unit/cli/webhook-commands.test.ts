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
