/** Runs the samples of the docs page unchanged: clients that create archives, and receivers of webhooks. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readSamples } from '#api/openapi/read-samples.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { type Delivery, deliveryId } from '#test/support/servers/webhook-receiver.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

/** The first `go run` compiles parts of the standard library. */
const RUN_LIMIT_MS = 240_000;

interface Language {
  /** Programs that must be installed. */
  readonly needs: readonly string[];
  readonly command: (file: string) => readonly [string, ...string[]];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: { needs: ['sh', 'curl', 'openssl'], command: (file) => ['sh', file] },
  ts: { needs: [], command: (file) => [process.execPath, file] },
  py: { needs: ['python3'], command: (file) => ['python3', file] },
  // Built like the programs of the local cluster, so that the shared parts of the standard library are
  // compiled once.
  go: { needs: ['go'], command: (file) => ['go', 'run', '-trimpath', '-gcflags=all=-dwarf=false', file] },
};

const languageOf = (file: string): Language => {
  const language = LANGUAGES[file.slice(file.lastIndexOf('.') + 1)];
  if (language === undefined) throw new Error(`no test runs ${file}`);
  return language;
};

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

const run = ({ file, args = [], env, input = '' }: Run): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const [program, ...first] = languageOf(file).command(file);
    const child = spawn(program, [...first, ...args], {
      env: { ...process.env, CGO_ENABLED: '0', ...env },
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

const requireLanguage = (context: Mocha.Context, file: string): Promise<void> => {
  return requirePrograms(context, languageOf(file).needs);
};

describe('the samples of the docs page', function () {
  this.timeout(600_000);
  let flow: Flow;
  let directory: string;
  let delivery: Delivery;
  const { makeArchive, verifyWebhook } = readSamples();

  const requestFile = async (name: string, path: string): Promise<string> => {
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
  };
  const client = (token = flow.project.token) => ({ ZIPJOBS_URL: flow.baseUrl, ZIPJOBS_TOKEN: token });

  before(async () => {
    flow = await startFlow('openapi-samples');
    directory = await mkdtemp(join(tmpdir(), 'zipjobs-samples-'));
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await flow[Symbol.asyncDispose]();
  });

  for (const { path: file, language } of makeArchive) {
    it(`make an archive and wait for it in ${language}`, async function () {
      await requireLanguage(this, file);
      const args = [await requestFile(language, '/gen/1000/7')];
      const ended = await run({ file, args, env: client() });
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
    });

    it(`report in ${language} why a job failed and why a request is refused`, async function () {
      await requireLanguage(this, file);
      const args = [await requestFile(`${language}-failed`, '/status/404')];
      const failed = await run({ file, args, env: client() });
      expect(failed.code, failed.complaints).to.equal(1);
      expect(failed.output).to.contain('SourceNotFound');
      const refused = await run({ file, args, env: client('nonsense') });
      expect(refused.code).not.to.equal(0);
      expect(refused.output + refused.complaints)
        .to.contain('401')
        .and.not.to.contain('nonsense');
    });
  }

  const headers = () => ({
    WEBHOOK_SECRET: flow.project.webhookSecret,
    WEBHOOK_ID: deliveryId(delivery),
    WEBHOOK_TIMESTAMP: String(delivery.headers['webhook-timestamp']),
    WEBHOOK_SIGNATURE: String(delivery.headers['webhook-signature']),
  });

  for (const { path: file, language } of verifyWebhook)
    it(`detect a forged webhook in ${language}`, async function () {
      await requireLanguage(this, file);
      // A signature older than five minutes is rejected, so each test needs a fresh delivery.
      const uuid = await flow.post([{ url: flow.origin.url('/gen/10/1'), filename: 'a.txt' }]);
      delivery = await flow.receiver.next(({ body }) => body.includes(uuid), 100_000);
      const input = delivery.body;
      const env = headers();
      const good = await run({ file, env, input });
      expect(good, good.complaints).to.include({ code: 0, output: 'valid\n' });
      const rotated = `v1,${'A'.repeat(43)}= v1a,other ${env.WEBHOOK_SIGNATURE}`;
      expect(await run({ file, env: { ...env, WEBHOOK_SIGNATURE: rotated }, input })).to.include({ code: 0 });
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
