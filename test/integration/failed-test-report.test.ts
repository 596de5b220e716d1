/** What a failed test of these suites prints, checked with a run of mocha that fails inside this one. */
import { expect } from 'chai';
import Mocha from 'mocha';
import { GROUP_VERSION, zipJobName } from '#crds/api-group.ts';
import { watchFailures } from '#test/support/failed-tests.ts';
import { type Flow, startFlow } from '#test/support/worlds/flow.ts';
import { clusterDirs } from '#tools/local-cluster/cluster-dir.ts';

describe('a failed test', function () {
  this.timeout(240_000);
  const { beforeRemoval } = clusterDirs;
  const printed: string[] = [];
  let flow: Flow;

  async function fail(): Promise<void> {
    const { cluster, project, origin, post } = flow;
    const url = 'https://store.example/sesame?X-Amz-Signature=sesame';
    const spec = {
      bucketRef: { name: `s3-${project.bucketName}` },
      key: 'a.zip',
      files: [{ url, filename: 'a' }],
      metadata: JSON.stringify({ url }),
      suspend: true,
    };
    const metadata = { namespace: project.namespace, name: 'by-hand' };
    const zipJob = { apiVersion: GROUP_VERSION, kind: 'ZipJob', metadata, spec };
    await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(zipJob) });
    const uuid = await post([{ url: `${origin.url('/status/404')}?sig=sesame`, filename: 'a' }]);
    await project.untilPhase(uuid, ['Failed']);
    // The job ends with its result, before Kubernetes has counted its pod.
    const condition = ['--for=jsonpath={.status.failed}=1', '--timeout=30s'];
    await cluster.kubectl(['wait', `job/${zipJobName(uuid)}`, '-n', project.namespace, ...condition]);
    throw new Error('the intended failure');
  }

  before(async () => {
    delete clusterDirs.beforeRemoval;
    const mocha = new Mocha({ reporter: Mocha.reporters.Base, timeout: 200_000 });
    const suite = Mocha.Suite.create(mocha.suite, 'the suite');
    suite.beforeAll(async () => {
      flow = await startFlow('failed-test', { jobDefaults: { maxAttempts: 1 } });
    });
    suite.addTest(new Mocha.Test('passes', () => undefined));
    suite.addTest(new Mocha.Test('fails', fail));
    suite.afterAll('that cleans up', async () => {
      await flow.kubectl('delete', 'zipjob', 'by-hand');
      await flow[Symbol.asyncDispose]();
      throw new Error('another intended failure');
    });
    await new Promise((resolve) => watchFailures(mocha.run(resolve), (text) => printed.push(text)));
  });
  after(() => {
    delete clusterDirs.beforeRemoval;
    if (beforeRemoval !== undefined) clusterDirs.beforeRemoval = beforeRemoval;
  });

  it('is explained by its objects, Events and logs before a hook deletes them, and so is a failed hook', () => {
    const [ofTest = '', ofHook = ''] = printed;
    expect(printed).to.have.length(2);
    for (const line of [
      /^ +\| What the cluster shows about "the suite fails":$/m,
      /\| ==> pods\/zipjobs-system_zipjobs-controller-\S+\/controller\.log <==\n +\| \{/,
      /\| ==> pods\/zipjobs-system_zipjobs-api-\S+\/api\.log <==\n +\| \{/,
      /\| ==> pods\/failed-test_zip-\S+\/zipper\.log <==\n +\| \{/,
      /\| \S+ +Warning +\w+ +ZipJob\/zip-/,
      /\| Name: +by-hand$/m,
      // ZipJob, Job and pod of the failed job.
      /\| +Reason: +SourceNotFound$/m,
      /\| Pods Statuses: +0 Active .* 1 Failed$/m,
      /\| +State: +Terminated$/m,
    ])
      expect(ofTest).to.match(line);
    expect(ofHook).to.contain('What the cluster shows about "the suite "after all" hook: that cleans up');
    expect(ofHook)
      .to.match(/\| +Reason: +SourceNotFound$/m)
      .and.not.match(/\| Name: +by-hand$/m);
  });

  it('is explained without secrets', () => {
    const { project } = flow;
    for (const secret of ['sesame', project.token, project.webhookSecret])
      expect(printed.join('\n')).to.not.contain(secret);
  });

  it('makes its run keep the logs of the cluster', () => {
    expect(clusterDirs.beforeRemoval).to.be.a('function');
  });
});
