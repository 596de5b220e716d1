/** Runs the samples of the docs page unchanged: clients that create archives, and receivers of webhooks. */
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { readSamples } from '#api/openapi/read-samples.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type Delivery, deliveryId } from '#test/support/servers/webhook-receiver.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

/** The first `go build` compiles parts of the standard library. */
const RUN_LIMIT_MS = 240_000;

interface Language {
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  readonly command: (file: string) => readonly [string, ...string[]];
  /** Compiles the file once to this path, which is then the command. */
  readonly build?: (file: string, path: string) => Promise<unknown>;
}

const ENV = { ...process.env, CGO_ENABLED: '0' };

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: { needs: ['sh', 'curl', 'openssl'], command: (file) => ['sh', file] },
  ts: { needs: [], command: (file) => [process.execPath, file] },
  py: { needs: ['python3'], command: (file) => ['python3', file] },
  go: {
    needs: ['go'],
    command: (file) => [file],
    // Like the programs of the local cluster, so that the shared parts of the standard library are compiled once.
    build: (file, path) =>
      promisify(execFile)('go', ['build', '-trimpath', '-gcflags=all=-dwarf=false', '-o', path, file], {
        env: ENV,
        timeout: RUN_LIMIT_MS,
      }),
  },
};

function languageOf(file: string): Language {
  const language = LANGUAGES[file.slice(file.lastIndexOf('.') + 1)];
  if (language === undefined) throw new Error(`no test runs ${file}`);
  return language;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly complaints: string;
}

interface Run {
  /** Path of the sample. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
}

function runCommand(
  [program, ...first]: readonly [string, ...string[]],
  { args = [], env, input = '' }: Run,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...first, ...args], {
      env: { ...ENV, ...env },
      timeout: RUN_LIMIT_MS,
    });
    const [output, complaints]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => complaints.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({
        code,
        output: Buffer.concat(output).toString(),
        complaints: Buffer.concat(complaints).toString(),
      }),
    );
    // A program that does not read all of its input closes the pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

function requireLanguage(context: Mocha.Context, file: string): Promise<void> {
  return requirePrograms(context, languageOf(file).needs);
}

describe('the samples of the docs page', function () {
  this.timeout(600_000);
  let flow: Flow;
  let directory: string;
  const { makeArchive, verifyWebhook } = readSamples();

  async function requestFile(name: string, path: string): Promise<string> {
    const file = join(directory, `${name}.json`);
    const urls = [{ url: flow.origin.url(path), filename: 'a.txt' }];
    const body = {
      urls,
      bucket_name: flow.project.bucketName,
      key: `${name}.zip`,
      metadata: { sample: name },
    };
    await writeFile(file, JSON.stringify(body));
    return file;
  }
  const built = new Map<string, Promise<unknown>>();
  async function run(one: Run): Promise<Ended> {
    const { file } = one;
    const { build, command } = languageOf(file);
    if (build === undefined) return runCommand(command(file), one);
    const path = join(directory, basename(file, '.go'));
    if (!built.has(path)) built.set(path, build(file, path));
    await built.get(path);
    return runCommand(command(path), one);
  }
  function client(token = flow.project.token) {
    return { ZIPJOBS_URL: flow.baseUrl, ZIPJOBS_TOKEN: token };
  }

  before(async () => {
    flow = await startFlow('openapi-samples');
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-samples-'));
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await flow[Symbol.asyncDispose]();
  });

  for (const { path: file, language } of makeArchive)
    it(`make an archive in ${language}, and report why a job failed and why a request is refused`, async function () {
      await requireLanguage(this, file);
      const args = [await requestFile(language, '/gen/1000/7')];
      const missing = [await requestFile(`${language}-failed`, '/status/404')];
      // Most of the time is waiting.
      const [ended, failed, refused] = await Promise.all([
        run({ file, args, env: client() }),
        run({ file, args: missing, env: client() }),
        run({ file, args: missing, env: client('nonsense') }),
      ]);
      expect(ended, ended.complaints).to.include({ code: 0 });
      const text = ended.output.trim();
      expect(text)
        .to.match(/succeeded/)
        .and.to.contain(language);
      expect((await flow.project.bucket.bytes(`${language}.zip`)).length).to.be.greaterThan(1_000);
      const made = await flow.kubectl('get', 'zipjobs', '-o', 'json');
      const { items } = JSON.parse(made) as {
        items: { spec: { key: string }; metadata: { name: string } }[];
      };
      const [job, ...more] = items.filter(({ spec }) => spec.key === `${language}.zip`);
      expect(more).to.deep.equal([]);
      expect(job?.metadata.name, 'a name derived from the key').to.match(/^zip-.{8}-.{4}-8/);
      expect(failed.code, failed.complaints).to.equal(1);
      expect(failed.output).to.contain('SourceNotFound');
      expect(refused.code).not.to.equal(0);
      expect(refused.output + refused.complaints)
        .to.contain('401')
        .and.not.to.contain('nonsense');
    });

  describe('that verify webhooks', () => {
    // Used at once: a signature older than five minutes is rejected.
    let delivery: Delivery;
    before(async () => {
      const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a.txt' }]);
      delivery = await flow.receiver.next(({ body }) => body.includes(uuid), 100_000);
    });
    function headers() {
      return {
        WEBHOOK_SECRET: flow.project.webhookSecret,
        WEBHOOK_ID: deliveryId(delivery),
        WEBHOOK_TIMESTAMP: String(delivery.headers['webhook-timestamp']),
        WEBHOOK_SIGNATURE: String(delivery.headers['webhook-signature']),
      };
    }

    for (const { path: file, language } of verifyWebhook)
      it(`detect a forged one in ${language}`, async function () {
        await requireLanguage(this, file);
        const input = delivery.body;
        const env = headers();
        const good = await run({ file, env, input });
        expect(good, good.complaints).to.include({ code: 0, output: 'valid\n' });
        const rotated = `v1,${'A'.repeat(43)}= v1a,other ${env.WEBHOOK_SIGNATURE}`;
        expect(await run({ file, env: { ...env, WEBHOOK_SIGNATURE: rotated }, input })).to.include({
          code: 0,
        });
        const otherSecret = `whsec_${Buffer.alloc(32).toString('base64')}`;
        const forgeries: readonly Run[] = [
          { file, env, input: `${input} ` },
          { file, env: { ...env, WEBHOOK_ID: 'msg_other' }, input },
          { file, env: { ...env, WEBHOOK_SECRET: otherSecret }, input },
          { file, env: { ...env, WEBHOOK_TIMESTAMP: String(Number(env.WEBHOOK_TIMESTAMP) - 301) }, input },
          { file, env: { ...env, WEBHOOK_SIGNATURE: 'v1,' }, input },
        ];
        for (const forgery of forgeries) {
          const ended = await run(forgery);
          expect(ended.code, JSON.stringify(forgery.env)).not.to.equal(0);
          expect(ended.output).to.equal('');
        }
      });
  });
});
