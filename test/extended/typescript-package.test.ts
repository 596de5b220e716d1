/** The package `zipjobs-client` as npm installs it: its types, and the examples of its README. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { runProgram } from '#test/support/processes/run-program.ts';
import { until } from '#test/support/until.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { installPackages } from './install-packages.ts';

const ROOT = join(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'clients/typescript');
const NODE_TYPES = `--typeRoots ${join(ROOT, 'node_modules/@types')} --types node`;
const STRICT = '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022';

/** Compiles only if the types of the package are right. Uses neither types of Node nor `skipLibCheck`. */
const CONSUMER = `
import { ApiError, type Client, createClient, type FileEntry, type Zip, type ZipRequest } from 'zipjobs-client';
import { verifyWebhook } from 'zipjobs-client/webhook';

const files: FileEntry[] = [{ url: 'https://a.example', filename: 'a' }];
const request: ZipRequest = { urls: files, bucket_name: 'b', key: 'k' };
const client: Client = createClient({ baseUrl: 'https://a.example', token: 't', fetch });
export const status: Zip['status'] = (await client.create(request)).status;
export const strict: Client = createClient({
  baseUrl: 'https://a.example',
  token: 't',
  onIgnoredFields: (names, { uuid }) => {
    throw new Error(uuid + names.join());
  },
});
// @ts-expect-error: the key is missing
void client.create({ urls: [], bucket_name: 'b' });
// @ts-expect-error: there is no such expansion
void client.get('id', { expand: ['nothing'] });
// @ts-expect-error: it is for tests of the package
createClient({ baseUrl: 'https://a.example', token: 't', timing: undefined });

export const codeOf = (error: unknown): string | undefined => (error instanceof ApiError ? error.code : undefined);
export const receive = async (received: Request, secret: string): Promise<string> => {
  const { event } = verifyWebhook({ body: await received.text(), headers: received.headers, secret });
  if (event.type === 'FAILED') return event.error.code;
  return event.type === 'COMPLETED' ? event.zip_id : event.project;
};
`;

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

function start(path: string, env: Readonly<Record<string, string>>) {
  return spawn(process.execPath, [path], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('the npm package of the TypeScript client', function () {
  this.timeout(900_000);
  let flow: Flow;
  let directory: string;
  let examples: readonly string[];
  function file(name: string): string {
    return join(directory, name);
  }
  function tsc(name: string, options: string) {
    return runProgram(join(SOURCE, 'node_modules/.bin/tsc'), [
      ...`${STRICT} ${options}`.split(' '),
      file(name),
    ]);
  }

  before(async () => {
    // Express is in a folder above it.
    directory = await mkdtemp(join(await installPackages(), 'package-'));
    await runProgram('sh', [join(ROOT, '.ci/install'), 'clients/typescript']);
    await runProgram('npm', ['pack', SOURCE, '--pack-destination', directory]);
    const [tarball = ''] = (await readdir(directory)).filter((name) => name.endsWith('.tgz'));
    await writeFile(file('package.json'), '{ "private": true, "type": "module" }');
    await runProgram('npm', [
      'install',
      '--prefix',
      directory,
      '--prefer-offline',
      '--no-audit',
      file(tarball),
    ]);
    const readme = await readFile(file('node_modules/zipjobs-client/README.md'), 'utf8');
    examples = [...readme.matchAll(/^```[jt]s\n(.*?)^```$/gms)].map(([, code = '']) => code);
    flow = await startFlow('typescript-package');
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await flow[Symbol.asyncDispose]();
  });

  it('contains JavaScript, types, README and license, and nothing else', async () => {
    const root = file('node_modules/zipjobs-client');
    const found = await readdir(root, { recursive: true });
    expect(found.filter((name) => !/^dist\/[a-z]+(\.d\.ts|\.js)$/.test(name)).toSorted()).to.deep.equal([
      'LICENSE',
      'README.md',
      'dist',
      'package.json',
    ]);
    expect(await readdir(file('node_modules'))).to.include('standardwebhooks');
    for (const name of found.filter((one) => one.endsWith('.js')))
      expect(await readFile(join(root, name), 'utf8'), name).to.not.match(/from 'node:|\.ts'/);
  });

  it('has types for strict consumers in Node, and without types of Node', async () => {
    await writeFile(file('consumer.ts'), CONSUMER);
    await tsc('consumer.ts', '--types --module nodenext');
    await tsc(
      'consumer.ts',
      '--types --module esnext --moduleResolution bundler --lib es2022,dom,dom.iterable',
    );
    await writeFile(file('example.ts'), examples[0] ?? '');
    await tsc('example.ts', `--module nodenext ${NODE_TYPES}`);
  });

  it('creates a zip with the first example of the README', async () => {
    const ours = {
      'https://files.example.com/report.pdf': flow.origin.url('/gen/1000/7'),
      "'reports'": `'${flow.project.bucketName}'`,
    };
    const [example = ''] = examples;
    for (const text of Object.keys(ours)) expect(example).to.contain(text);
    const code = Object.entries(ours).reduce((text, [from, to]) => text.replace(from, to), example);
    await writeFile(file('create.mjs'), code);
    const client = start(file('create.mjs'), {
      ZIPJOBS_URL: flow.baseUrl,
      ZIPJOBS_TOKEN: flow.project.token,
    });
    const output = (await text(client.stdout)).trim();
    expect(output).to.equal(String((await flow.project.bucket.bytes('archives/report.zip')).length));
  });

  it('receives a webhook of the controller with the second example of the README', async () => {
    await writeFile(file('receive.mjs'), examples[1] ?? '');
    const [port = 0] = await freePorts(1);
    await using started = new AsyncDisposableStack();
    const env = { WEBHOOK_SECRET: flow.project.webhookSecret, PORT: String(port) };
    const receiver = start(file('receive.mjs'), env);
    started.defer(() => end(receiver));
    let output = '';
    receiver.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a.txt' }]);
    const { body, headers } = await flow.receiver.next((delivery) => delivery.body.includes(uuid), 100_000);
    const sent = Object.entries(headers).filter(([name]) => /^webhook-|^content-type$/.test(name));
    function forward(text: string) {
      return fetch(`http://127.0.0.1:${port}/webhook`, {
        method: 'POST',
        body: text,
        headers: Object.fromEntries(sent.map(([name, value]) => [name, String(value)])),
      }).then(
        ({ status }) => status,
        () => undefined,
      );
    }
    await until('the receiver to accept the webhook', async () => (await forward(body)) === 204);
    expect(await forward(`${body} `)).to.equal(401);
    await until('the event to be printed', () =>
      output.includes(`${String(headers['webhook-id'])} ${uuid} posted-1.zip`),
    );
  });
});
