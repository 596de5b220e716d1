/**
 * A fuzzer sends requests generated from the API description to the installed release, and accepts only
 * described responses. FUZZ_SEED repeats a run; FUZZ_EXAMPLES sets its length, in requests for each operation. The
 * controller is stopped, so that no job starts.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bucketResourceName, GROUP_VERSION } from '#crds/api-group.ts';
import { SERVICES } from '#crds/zip-job.ts';
import { installChart, RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import { sized } from '#test/support/sized.ts';
import { until } from '#test/support/until.ts';
import { untilTokenKnown } from '#test/support/worlds/flow.ts';
import { applyObjects, createProject, type Project } from '#test/support/worlds/project.ts';
import { sharedCluster } from '#test/support/worlds/shared-cluster.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { type FuzzReport, installFuzzer, runSchemathesis } from './run-schemathesis.ts';

const NAMESPACE = 'fuzz';
/** Like the examples of the description. */
const BUCKET = 'reports';
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_504);
const EXAMPLES = Number(process.env['FUZZ_EXAMPLES'] ?? sized(365, 5_000));
/** More requests than examples, because other phases send some too. */
const LEAST_REQUESTS = Math.floor(5.5 * EXAMPLES);
const NO_LIMITS = {
  api: { settings: { REQUESTS_PER_MINUTE_PER_TOKEN: 0, AUTH_FAILURES_PER_MINUTE: 0 } },
  projectClasses: {
    default: { requestsPerMinute: 0, createsPerSecond: 0, filesPerSecond: 0, storedJobs: 1_000_000 },
  },
};

interface Run {
  readonly name: string;
  /** Prefix of the paths of the description. */
  readonly below: '' | '/api';
  readonly hasToken: boolean;
  readonly seed: number;
  readonly examples: number;
}

const RUNS: readonly Run[] = [
  { name: 'with a token', below: '/api', hasToken: true, seed: SEED, examples: EXAMPLES },
  { name: 'under the other path', below: '', hasToken: true, seed: SEED + 1, examples: EXAMPLES },
  { name: 'without a token', below: '/api', hasToken: false, seed: SEED, examples: Math.ceil(EXAMPLES / 8) },
];

function bucketObject(service: string) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { namespace: NAMESPACE, name: bucketResourceName(service, BUCKET) },
    spec:
      service === 'r2'
        ? { service, bucketName: BUCKET, host: 'account.r2.cloudflarestorage.com', accountId: 'account' }
        : { service, bucketName: BUCKET, region: 'eu-central-1' },
  };
}

describe('the OpenAPI description of the API', function () {
  this.timeout(3_600_000);
  let cluster: Cluster;
  let project: Project;
  let baseUrl: string;
  let programs: string;
  let reports: readonly FuzzReport[];

  async function kubectl(...args: readonly string[]): Promise<string> {
    return (await cluster.kubectl([...args])).stdout;
  }

  async function stopController(): Promise<void> {
    const here = ['-n', RELEASE_NAMESPACE];
    await kubectl('scale', 'deployment/zipjobs-controller', '--replicas=0', ...here);
    const label = 'app.kubernetes.io/component=controller';
    await until(
      'the controller to be gone',
      async () => (await kubectl('get', 'pods', '-l', label, ...here)).trim() === '',
    );
  }

  before(async () => {
    programs = await installFuzzer();
    cluster = await sharedCluster();
    const installation = await installChart(cluster, NO_LIMITS);
    baseUrl = await installation.apiUrl();
    project = await createProject(cluster, { namespace: NAMESPACE });
    await applyObjects(cluster, SERVICES.map(bucketObject));
    await untilTokenKnown(baseUrl, project.token);
    await stopController();
    // In parallel: a fuzzer is slower than the API and uses one core only.
    reports = await Promise.all(RUNS.map(fuzz));
  });

  after(async () => {
    await kubectl('delete', 'zipjobs', '--all', '-n', NAMESPACE, '--wait=false');
    project[Symbol.dispose]();
  });

  function fuzz(run: Run): Promise<FuzzReport> {
    return runSchemathesis({
      programs,
      documentUrl: `${baseUrl}/openapi.json`,
      baseUrl: `${baseUrl}${run.below}`,
      seed: run.seed,
      examples: run.examples,
      ...(run.hasToken ? { token: project.token } : {}),
    });
  }

  it('is valid OpenAPI 3.1 according to an independent validator', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'zipjobs-openapi-'));
    try {
      const file = join(directory, 'openapi.json');
      await writeFile(file, await (await fetch(`${baseUrl}/openapi.json`)).text());
      const { stdout } = await promisify(execFile)(join(programs, 'openapi-spec-validator'), [file]);
      expect(stdout).to.match(/: OK\s*$/);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  for (const [index, { name, seed }] of RUNS.entries())
    it(`describes every response ${name}`, () => {
      const report = reports[index];
      const { test_cases, running_time = 0 } = report ?? {};
      console.log(
        `      ${test_cases?.generated} requests in ${running_time.toFixed(0)} s with seed ${seed}`,
      );
      // These first, because they say what is wrong.
      expect(report?.failures).to.deep.equal([]);
      expect(report?.errors).to.deep.equal([]);
      expect(report).to.include({ complete: true, seed, exit_code: 0 });
      expect(report?.operations).to.include({ total: 2, tested: 2 });
      const phases = Object.entries(report?.phases ?? {});
      expect(phases.filter(([, { status }]) => status !== 'success')).to.deep.equal([]);
      expect(phases).to.have.lengthOf(4);
    });

  it(`was tested with at least ${LEAST_REQUESTS} requests, which created jobs and started none`, async () => {
    const requests = reports.reduce((sum, { test_cases }) => sum + test_cases.generated, 0);
    expect(requests).to.be.at.least(LEAST_REQUESTS);
    const made = (await kubectl('get', 'zipjobs', '-n', NAMESPACE, '-o', 'name')).trim().split('\n');
    console.log(`      ${requests} requests (FUZZ_SEED=${SEED}) created ${made.length} jobs`);
    expect(made.length).to.be.greaterThan(requests / 20);
    expect((await kubectl('get', 'jobs', '-n', NAMESPACE, '-o', 'name')).trim()).to.equal('');
  });
});
