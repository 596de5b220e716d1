/** The command line in one file, in a folder without packages. */
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Bundle, bundleCommandLine } from '#scripts/command-line-bundle.ts';
import { runCommandLine } from '#test/support/processes/command-line.ts';

const run = promisify(execFile);
const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly version: string };

/** Prints the modules that were evaluated. The bundler wraps each in a function that is called as the module, and runs when it is imported. */
const RECORDER = `
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true });
  process.on('exit', () => session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const { functions } = result.find(({ url }) => url.endsWith('/zipjobs.cjs'));
    const ran = functions.filter(({ ranges, functionName }) => ranges[0].count > 0 && functionName.includes('/'));
    process.stderr.write(ran.map(({ functionName }) => functionName).join('\\n'));
  }));
`;
/** What runs in the checkout is bounded in test/unit/cli/start.test.ts. */
const MOST_MODULES = 120;
const CLUSTER_CLIENTS = /node_modules\/(?:undici|ajv|archiver|js-yaml|@kubernetes)\//;

describe('the command line in one file', function () {
  this.timeout(120_000);
  let dir = '';
  let file = '';
  let bundle: Bundle;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'zipjobs-bundle-'));
    bundle = await bundleCommandLine(join(dir, 'built'));
    file = join(dir, 'zipjobs.cjs');
    await copyFile(bundle.file, file);
  });
  after(() => rm(dir, { recursive: true }));

  async function start(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [file, ...args], { cwd: dir, env: { HOME: dir } });
    return stdout;
  }

  it('prints its version, and completes words (X30)', async () => {
    expect(await start('--version')).to.equal(`${version}\n`);
    expect((await start('--get-yargs-completions', 'zipjobs', 'job', '')).split('\n')).to.include(
      'run-again',
    );
  });

  for (const args of [['--version'], ['--get-yargs-completions', 'zipjobs', 'job', '']])
    it(`evaluates few of its modules for ${args.join(' ')} (X30, Q-C0)`, async () => {
      const recorder = join(dir, 'recorder.cjs');
      await writeFile(recorder, RECORDER);
      const { stderr } = await run(process.execPath, ['--require', recorder, file, ...args], { cwd: dir });
      const modules = stderr.split('\n');
      expect(modules.length, stderr).to.be.greaterThan(20).and.lessThan(MOST_MODULES);
      expect(modules.length).to.be.lessThan(bundle.modules.length / 5);
      expect(modules.filter((module) => CLUSTER_CLIENTS.test(module))).to.deep.equal([]);
    });

  it('prints the help of the checkout (X30)', async () => {
    for (const words of [[], ['job', 'create'], ['sysdump'], ['webhook']]) {
      const { stdout } = await runCommandLine({ kubeconfig: '/nonexistent' }, [...words, '--help']);
      expect(await start(...words, '--help')).to.equal(stdout);
    }
  });

  it('has none of the models and API groups of the Kubernetes client, and no tests or servers (X30)', async () => {
    const { modules } = bundle;
    expect(modules).to.include('cli/sysdump/bundle.ts').and.include('runtime/kube/client/kubeconfig-file.ts');
    expect(
      modules.filter((module) =>
        /client-node\/dist\/gen\/(?:models|apis)\/V1|^(?:test|dashboard|controller|api)\//.test(module),
      ),
    ).to.deep.equal([]);
    // It was 5 MB with all of the client.
    expect((await stat(file)).size).to.be.lessThan(3_000_000);
  });

  it('has the license of each package beside it (X30)', async () => {
    const text = await readFile(join(dir, 'built', 'THIRD-PARTY-LICENSES'), 'utf8');
    for (const name of ['undici', 'yaml', 'ajv', 'archiver', '@kubernetes/client-node', 'js-yaml'])
      expect(text).to.match(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: (?:MIT|ISC|Apache-2\\.0)$`, 'm'));
    expect(text)
      .to.contain('Permission is hereby granted')
      .and.not.match(/: (?:A?GPL|LGPL|UNLICENSED)/);
  });
});
