/**
 * Clients that published generators write from the OpenAPI document: they compile, and create one archive each, of a download whose
 * size and checksum are stated, and of an object of the same name.
 */
import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { expect } from 'chai';
import { zipEntries } from '#test/support/archives/zip-entries.ts';
import { generatedBytes } from '#test/support/builders/generated-bytes.ts';
import { findProgram } from '#test/support/find-program.ts';
import { requirePrograms } from '#test/support/processes/require-programs.ts';
import { extendProject } from '#test/support/worlds/extend-project.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { installPackages } from './install-packages.ts';

/** The file behind SOURCE, and the object behind OBJECT. */
const DOWNLOADED = generatedBytes(1_000, 7);
const STORED = generatedBytes(2_000, 8);
const SOURCE_KEY = 'sources/a b.txt';
const ENDPOINT = 'audit';
const CLIENTS = join(import.meta.dirname, 'clients');
const GO_MODULE = ['--git-host=example.com', '--git-user-id=zipjobs', '--git-repo-id=client'];
const TYPES = join(import.meta.dirname, '../../node_modules/@types');
const TSC = `--noEmit --allowJs --checkJs --strict --skipLibCheck --target es2024 --module nodenext --typeRoots ${TYPES} --types node`;

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Standard output of a program that ends with 0. */
async function run({ program, args, directory, env }: Command): Promise<string> {
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(await ended, `${program} ${args.join(' ')}\n${output}\n${complaints}`).to.equal(0);
  return output;
}

describe('clients generated from the OpenAPI document', function () {
  this.timeout(1_800_000);
  let flow: Flow;
  let packages: string;
  let directory: string;

  before(async () => {
    packages = await installPackages();
    flow = await startFlow('generated-clients');
    directory = await mkdtemp(join(packages, 'document-'));
    await writeFile(
      join(directory, 'openapi.json'),
      await (await fetch(`${flow.baseUrl}/openapi.json`)).text(),
    );
  });
  before(async () => {
    await flow.project.bucket.put(SOURCE_KEY, STORED);
    await extendProject(flow, { name: ENDPOINT, url: flow.receiver.url });
  });
  after(async () => {
    await rm(directory, { recursive: true, force: true });
    await flow[Symbol.asyncDispose]();
  });

  function npmProgram(name: string): string {
    return join(packages, 'node_modules/.bin', name);
  }
  async function generate(language: string, ...more: readonly string[]): Promise<void> {
    const java = join(packages, 'python/lib');
    const [jre = ''] = (
      await run({ program: 'find', args: [java, '-name', 'java', '-path', '*/bin/java'], directory })
    ).split('\n');
    const path = [join(jre, '..'), process.env['PATH'] ?? ''].join(delimiter);
    await run({
      program: join(packages, 'python/bin/openapi-generator-cli'),
      args: ['generate', '-i', 'openapi.json', '-g', language, '-o', language, ...more],
      directory,
      env: { PATH: path },
    });
  }

  /** Runs a client, which creates an archive, and then sends a request that is refused. */
  async function use(name: string, command: Omit<Command, 'directory'>): Promise<void> {
    const env = {
      ...command.env,
      ZIPJOBS_URL: flow.baseUrl,
      ZIPJOBS_TOKEN: flow.project.token,
      BUCKET: flow.project.bucketName,
      KEY: `${name}.zip`,
      SOURCE: flow.origin.url('/gen/1000/7'),
      SIZE: String(DOWNLOADED.length),
      CRC32: crc32(DOWNLOADED).toString(16).padStart(8, '0'),
      OBJECT: `s3://${flow.project.bucketName}/${SOURCE_KEY}`,
    };
    expect((await run({ ...command, directory, env })).split('\n')).to.deep.equal([
      'succeeded 2 true {"any":["thing"]}',
      '1 1 a (2).txt',
      ENDPOINT,
      'uuid status metadata',
      'invalid_request_error resource_not_found bucket_name true',
      '',
    ]);
    const entries = await zipEntries(await flow.project.bucket.bytes(`${name}.zip`));
    expect(entries).to.deep.equal([
      { name: 'a.txt', content: DOWNLOADED },
      { name: 'a (2).txt', content: STORED },
    ]);
  }

  it('are based on a document without warnings of the recommended rules of Redocly', async () => {
    const output = await run({
      program: npmProgram('redocly'),
      args: ['lint', '--extends', 'recommended', '--format', 'json', 'openapi.json'],
      directory,
      env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    });
    expect((JSON.parse(output) as { problems: unknown }).problems).to.deep.equal([]);
  });

  it('work in TypeScript, by openapi-typescript and openapi-fetch', async () => {
    await run({
      program: npmProgram('openapi-typescript'),
      args: ['openapi.json', '-o', 'zips.ts'],
      directory,
    });
    await copyFile(join(CLIENTS, 'client.mjs'), join(directory, 'client.mjs'));
    await run({ program: npmProgram('tsc'), args: [...TSC.split(' '), 'client.mjs'], directory });
    await use('typescript', { program: process.execPath, args: ['client.mjs'] });
  });

  it('work in Python, by openapi-generator', async () => {
    await generate('python');
    const args = [join(CLIENTS, 'client.py')];
    const env = { PYTHONPATH: join(directory, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
    await use('python', { program: join(packages, 'python/bin/python'), args, env });
  });

  it('work in Go, by openapi-generator', async function () {
    await requirePrograms(this, ['go']);
    await generate('go', ...GO_MODULE);
    const program = join(directory, 'go/program');
    await mkdir(program);
    await copyFile(join(CLIENTS, 'client.go'), join(program, 'main.go'));
    const go = (await findProgram('go')) ?? 'go';
    await run({
      program: go,
      args: ['build', '-mod=mod', '-o', '../client.out', './program'],
      directory: join(directory, 'go'),
    });
    await use('go', { program: join(directory, 'client.out'), args: [] });
  });
});
