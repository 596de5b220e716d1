/** What a failed test of these suites prints and keeps, checked by running mocha on tests that fail. */
import { spawn } from 'node:child_process';
import { glob, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';

const FIXTURE = 'test/support/failed-tests/fixture';
const HEADING = 'What the cluster shows about';

describe('a failed test', function () {
  this.timeout(60_000);
  const life = new AsyncDisposableStack();
  let flow: Flow;
  let results: string;
  let output: string;

  before(async () => {
    flow = life.use(await startFlow('failed-test', { jobDefaults: { maxAttempts: 1 } }));
    results = await mkdtemp(join(tmpdir(), 'zipjobs-results-'));
    life.defer(() => rm(results, { recursive: true }));
    output = await runFixture();
  });
  after(() => life.disposeAsync());

  const runFixture = async (): Promise<string> => {
    const { project, origin } = flow;
    const urls = [{ url: `${origin.url('/status/404')}?X-Amz-Signature=sesame`, filename: 'a' }];
    const options = ['--no-config', '--no-package', '--timeout', '30000', '--require', `${FIXTURE}/hooks.ts`];
    const mocha = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', ...options, `${FIXTURE}/failing.ts`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          ...process.env,
          ZIPJOBS_TEST_RESULTS: results,
          FIXTURE_CLUSTER_DIR: flow.cluster.dir,
          FIXTURE_API: flow.baseUrl,
          FIXTURE_TOKEN: project.token,
          FIXTURE_JOB: JSON.stringify({ bucket_name: project.bucketName, key: 'fixture.zip', urls }),
        },
      },
    );
    return text(mocha.stdout);
  };

  it('prints its ZipJob, the Events and the log lines of the processes', () => {
    expect(output).to.match(/\| +ZipJob zip-[0-9a-f-]{36}: Failed, SourceNotFound/);
    expect(output).to.match(/\| +Pod zip-[0-9a-f-]{36}-\w+ .*Failed, zipper exit code \d+/);
    expect(output).to.match(/\| +\d\d:\d\d:\d\d Warning \w+ ZipJob\/zip-/);
    expect(output).to.match(/\| Log of zip-[0-9a-f-]{36}-\w+ zipper\n +\| +\d\d:\d\d:\d\d\.\d{3} \w+ /);
    expect(output).to.match(/\| Log of zipjobs-controller-\S+ controller\n +\| +\d\d:\d\d:\d\d\.\d{3} \w+ /);
    expect(output).to.match(/\| Log of zipjobs-api-\S+ api\n +\| +\d\d:\d\d:\d\d\.\d{3} \w+ /);
  });

  it('prints a failed hook before its tests, and nothing about a test that passed', () => {
    expect(output.split(HEADING)).to.have.length(3);
    expect(output).to.contain(`${HEADING} "the fixture fails after its job has failed"`);
    const ofHook = output.indexOf(`${HEADING} "the fixture with a hook "before all" hook`);
    expect(ofHook).to.be.greaterThan(0);
    expect(output.indexOf('the hook after it')).to.be.greaterThan(ofHook);
    expect(output).to.contain('1 passing').and.contain('2 failing');
  });

  it('prints no credential', () => {
    expect(output).not.to.contain('sesame');
    expect(output).not.to.contain(flow.project.token);
  });

  it('keeps only the logs of the cluster and prints their path', async () => {
    const [, folder = ''] = /^Logs of the failed run: (\S+)/m.exec(output) ?? [];
    expect(folder.startsWith(join(results, 'support-')), output).to.equal(true);
    const kept: string[] = [];
    for await (const entry of glob('**', { cwd: folder, withFileTypes: true }))
      if (entry.isFile()) kept.push(join(entry.parentPath, entry.name).slice(folder.length + 1));
    expect(kept).to.include('logs/kube-apiserver.log');
    expect(kept.some((path) => /^pods\/failed-test_zip-.*\/zipper\.log$/.test(path))).to.equal(true);
    expect(kept.filter((path) => !/^(logs|pods\/[^/]+)\/[^/]+\.log$/.test(path))).to.deep.equal([]);
  });
});
