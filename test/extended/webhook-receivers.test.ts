/** Starts the webhook receivers of the docs page unchanged, each with the published packages that it names. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { readSamples } from '#api/openapi/read-samples.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { until } from '#test/support/until.ts';
import { freePorts } from '#tools/local-cluster/free-ports.ts';
import { installPackages } from './install-packages.ts';

const SAMPLES = join(import.meta.dirname, '../../api/openapi/samples');
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const ID = 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W';
const BODY = JSON.stringify({ type: 'COMPLETED', zip_id: '3f0c7a52', metadata: { name: 'é "\\u0000' } });

interface Receiver extends AsyncDisposable {
  readonly output: () => string;
  readonly deliver: (body: string, headers: Readonly<Record<string, string>>) => Promise<number>;
}

function isOpen(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
}

/** `go run` does not forward signals, so the program is built first. */
async function commandOf(file: string, packages: string): Promise<readonly [string, ...string[]]> {
  if (file.endsWith('.mjs')) return [process.execPath, file];
  if (file.endsWith('.py')) return [join(packages, 'python/bin/python'), file];
  const program = `${file}.out`;
  const build = spawn('go', ['build', '-o', program, file], { stdio: 'inherit' });
  const [code] = (await once(build, 'exit')) as [number | null];
  expect(code, 'go build').to.equal(0);
  return [program];
}

async function startReceiver(name: string, packages: string): Promise<Receiver> {
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(join(packages, 'receiver-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, name);
  await copyFile(join(SAMPLES, name), file);
  const [program, ...args] = await commandOf(file, packages);
  const [port = 0] = await freePorts(1);
  const env = { ...process.env, WEBHOOK_SECRET: SECRET, PORT: String(port) };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.defer(() => end(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const url = `http://localhost:${port}/webhook`;
  await until('the receiver to listen', () => isOpen(url));
  const resources = started.move();
  return {
    output: () => output,
    deliver: async (body, headers) => {
      const type = { 'content-type': 'application/json' };
      const response = await fetch(url, { method: 'POST', body, headers: { ...type, ...headers } });
      await response.body?.cancel();
      return response.status;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function signed(body: string, at = new Date()) {
  return {
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(SECRET).sign(ID, at, body),
  };
}

describe('the webhook receivers of the docs page', function () {
  this.timeout(900_000);
  let packages: string;
  before(async () => {
    packages = await installPackages();
  });

  for (const { file, language } of readSamples().receiveWebhook)
    it(`accept a signed event and refuse a forged one with ${language}`, async function () {
      if (file.endsWith('.go')) await requirePrograms(this, ['go']);
      await using receiver = await startReceiver(file, packages);
      expect(await receiver.deliver(BODY, signed(BODY))).to.equal(204);
      await until('the event to be printed', () => receiver.output().includes(`${ID} COMPLETED 3f0c7a52`));
      const forgeries: readonly [string, Readonly<Record<string, string>>][] = [
        [`${BODY} `, signed(BODY)],
        [BODY, { ...signed(BODY), 'webhook-id': 'msg_other' }],
        [BODY, signed(BODY, new Date(Date.now() - 301_000))],
        [BODY, {}],
      ];
      for (const [body, headers] of forgeries)
        expect(await receiver.deliver(body, headers), JSON.stringify(headers)).to.equal(401);
      const large = JSON.stringify({ type: 'x'.repeat(100_000) });
      expect(await receiver.deliver(large, signed(large))).to.equal(413);
      expect(receiver.output().split(`${ID} COMPLETED`), receiver.output()).to.have.lengthOf(2);
    });
});
